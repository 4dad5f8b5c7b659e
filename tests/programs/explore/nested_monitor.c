/* It waits in the inner monitor and stays in the outer one, which its waker needs. */
#include "explore.h"

static pthread_mutex_t outer = MUTEX, inner = MUTEX;
static pthread_cond_t c = COND;
static bool full;

static void *taker(void *arg)
{
	LOCK(outer);
	if (fixed)
		UNLOCK(outer);
	LOCK(inner);
	while (!full)
		WAIT(c, inner);
	UNLOCK(inner);
	if (!fixed)
		UNLOCK(outer);
	return arg;
}

static void *giver(void *arg)
{
	LOCK(outer);
	LOCK(inner);
	full = true;
	pthread_cond_signal(&c);
	UNLOCK(inner);
	UNLOCK(outer);
	return arg;
}

int main(void)
{
	RUN(taker, giver);
	return 0;
}
