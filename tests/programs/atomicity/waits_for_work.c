/* A block that waits for a condition: somebody else must run there. */
#define OWN_ORDER
#include "two.h"

MUTEX(m);
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int work;

static void one(void)
{
	BEGIN("take");
	LOCK(m);
	while (work == 0) {
		order_at(0);
		pthread_cond_wait(&c, &m);
	}
	work--;
	UNLOCK(m);
	END();
}

static void two(void)
{
	order_see(1);
	LOCK(m);
	work++;
	pthread_cond_signal(&c);
	UNLOCK(m);
}
