/* If the lock is taken, it is done without. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static volatile int count;

static void *counts(void *arg)
{
	bool got = pthread_mutex_trylock(&m) == 0;

	if (!got && fixed)
		got = LOCK(m) == 0;
	count = count + 1;
	if (got)
		UNLOCK(m);
	return arg;
}

int main(void)
{
	RUN(counts, counts);
	assert(count == 2);
	return 0;
}
