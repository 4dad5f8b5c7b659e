/* Looks again under the lock, in a block of its own. */
#include "two.h"

MUTEX(m);
static int ready;
static int value;

static void one(void)
{
	if (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) {
		LOCK(m);
		BEGIN("init");
		if (!__atomic_load_n(&ready, __ATOMIC_RELAXED)) {
			value = 7;
			__atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
		}
		END();
		UNLOCK(m);
	}
}

static void two(void)
{
	one();
}
