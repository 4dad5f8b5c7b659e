/* A consumer that is woken does not look again: another may have been faster. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static pthread_cond_t filled = COND;
static int items, is_open = 1;

static void *consumer(void *arg)
{
	LOCK(m);
	if (fixed)
		while (items == 0 && is_open)
			WAIT(filled, m);
	else if (items == 0 && is_open)
		WAIT(filled, m);
	if (items > 0 || is_open)
		items--;
	assert(items >= 0);
	UNLOCK(m);
	return arg;
}

static void *producer(void *arg)
{
	LOCK(m);
	items++;
	pthread_cond_signal(&filled);
	UNLOCK(m);
	LOCK(m);
	is_open = 0;
	pthread_cond_broadcast(&filled);
	UNLOCK(m);
	return arg;
}

int main(void)
{
	RUN(consumer, consumer, producer);
	return 0;
}
