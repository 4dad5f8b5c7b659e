/* Looks without the lock, takes it, and does not look again. */
#include "two.h"

MUTEX(m);
static int ready;
static int value;

static void one(void)
{
	BEGIN("init");
	if (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) { // split init
		LOCK(m);
		value = 7;
		__atomic_store_n(&ready, 1, __ATOMIC_RELEASE); // split init
		UNLOCK(m);
	}
	END();
}

static void two(void)
{
	LOCK(m);
	__atomic_store_n(&ready, 2, __ATOMIC_RELEASE); // split init
	UNLOCK(m);
}
