/*
 * A thread that waits on a condition is cancelled, behind a race that it has no part in.  The runtime
 * does the wait itself while the program is replayed, so it has to see the request.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waiting, raced, cleaned;

static void clean(void *arg)
{
	(void)arg;
	cleaned = 1;
	pthread_mutex_unlock(&m);
}

static void *waits(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(clean, NULL);
	waiting = 1;
	pthread_cond_signal(&c);
	for (;;)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(1);
	return arg;
}

static void *races(void *arg)
{
	raced = 1;
	return arg;
}

int main(void)
{
	pthread_t t, waiter;

	pthread_create(&t, NULL, races, NULL);
	raced = 2;
	pthread_create(&waiter, NULL, waits, NULL);
	pthread_mutex_lock(&m);
	while (!waiting)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	pthread_cancel(waiter);
	pthread_join(waiter, NULL);
	pthread_join(t, NULL);
	printf("cleaned %d\n", cleaned);
	return 0;
}
