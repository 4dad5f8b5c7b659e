/* Counts in one section, and by an atomic. */
#include "two.h"

MUTEX(m);
static int counter, hits;

static void one(void)
{
	BEGIN("count");
	LOCK(m);
	counter++;
	UNLOCK(m);
	END();
	BEGIN("hit");
	__atomic_fetch_add(&hits, 1, __ATOMIC_SEQ_CST);
	END();
}

static void two(void)
{
	one();
}
