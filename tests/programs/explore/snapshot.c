/* The sum is always 10, but not for who looks without the lock. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static volatile int left = 10, right;

static void *mover(void *arg)
{
	for (int i = 0; i < 2; i++) {
		LOCK(m);
		left = left - 1;
		right = right + 1;
		UNLOCK(m);
	}
	return arg;
}

static void *looker(void *arg)
{
	int sum;

	if (fixed)
		LOCK(m);
	sum = left + right;
	if (fixed)
		UNLOCK(m);
	assert(sum == 10);
	return arg;
}

int main(void)
{
	RUN(mover, looker);
	return 0;
}
