/* main waits for a thread that waits for main's lock. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static int count;

static void *worker(void *arg)
{
	LOCK(m);
	count++;
	UNLOCK(m);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	LOCK(m);
	count++;
	if (fixed)
		UNLOCK(m);
	pthread_join(t, NULL);
	if (!fixed)
		UNLOCK(m);
	return count != 2;
}
