/*
 * One place, and one condition for those who wait until it is full and until it is empty: a signal
 * may wake somebody of the wrong kind, who goes back to sleep.
 */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static pthread_cond_t changed = COND;
static bool full;

static void tell(void)
{
	if (fixed)
		pthread_cond_broadcast(&changed);
	else
		pthread_cond_signal(&changed);
}

static void change(bool to)
{
	LOCK(m);
	while (full == to)
		WAIT(changed, m);
	full = to;
	tell();
	UNLOCK(m);
}

static void *producer(void *arg)
{
	change(true);
	change(true);
	return arg;
}

static void *consumer(void *arg)
{
	change(false);
	return arg;
}

int main(void)
{
	RUN(consumer, consumer, producer);
	return 0;
}
