/* The signal comes before what it tells of: who is woken looks too early, and waits again. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static pthread_cond_t c = COND;
static bool done;

static void *waiter(void *arg)
{
	LOCK(m);
	while (!done)
		WAIT(c, m);
	UNLOCK(m);
	return arg;
}

static void *worker(void *arg)
{
	if (!fixed)
		pthread_cond_signal(&c);
	LOCK(m);
	done = true;
	UNLOCK(m);
	if (fixed)
		pthread_cond_signal(&c);
	return arg;
}

int main(void)
{
	RUN(waiter, worker);
	return 0;
}
