/* An event is reset after the work, so one that came during the work is forgotten. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static pthread_cond_t c = COND;
static bool event;
static int left = 2;

static void *worker(void *arg)
{
	while (left > 0) {
		LOCK(m);
		while (!event)
			WAIT(c, m);
		if (fixed)
			event = false;
		UNLOCK(m);
		LOCK(m);
		left--;
		if (!fixed)
			event = false;
		pthread_cond_broadcast(&c);
		UNLOCK(m);
	}
	return arg;
}

static void *teller(void *arg)
{
	for (int i = 0; i < 2; i++) {
		LOCK(m);
		while (event && fixed)
			WAIT(c, m);
		event = true;
		pthread_cond_broadcast(&c);
		UNLOCK(m);
	}
	return arg;
}

int main(void)
{
	RUN(worker, teller);
	return 0;
}
