/* The flag is looked at before the lock is taken: the signal may come in between. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static pthread_cond_t c = COND;
static volatile bool done;

static void *waiter(void *arg)
{
	if (fixed) {
		LOCK(m);
		while (!done)
			WAIT(c, m);
		UNLOCK(m);
	} else if (!done) {
		LOCK(m);
		WAIT(c, m);
		UNLOCK(m);
	}
	return arg;
}

static void *worker(void *arg)
{
	LOCK(m);
	done = true;
	pthread_cond_signal(&c);
	UNLOCK(m);
	return arg;
}

int main(void)
{
	RUN(waiter, worker);
	return 0;
}
