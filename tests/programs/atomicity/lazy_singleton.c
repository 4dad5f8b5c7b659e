/* Both find nothing and both make one: so it was in the recorded run. */
#define OWN_ORDER
#include "two.h"

static int *instance, object[2];

static void make(int which)
{
	BEGIN("make");
	if (!__atomic_load_n(&instance, __ATOMIC_ACQUIRE)) { // split make
		order_at(which); /* both are here before either goes on */
		order_see(2);
		__atomic_store_n(&instance, &object[which], __ATOMIC_RELEASE); // split make
	}
	END();
}

static void one(void)
{
	make(0);
}

static void two(void)
{
	make(1);
}
