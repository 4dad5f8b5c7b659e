/* Cancelled; and a first thread that leaves before the last. */
#include <pthread.h>

#include "order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t first;

static void *cancelled(void *arg)
{
	for (;;)
		pthread_testcancel(); // expect T2: threadbegin; threadend
	return arg;
}

static void *outlives(void *arg)
{
	pthread_join(first, NULL); // expect T3: threadbegin; join T1
	pthread_mutex_lock(&m);	   // expect T3: lock m
	pthread_mutex_unlock(&m);  // expect T3: unlock m; threadend
	return arg;
}

int main(void)
{
	pthread_t t;
	void *result;

	first = pthread_self();
	pthread_create(&t, NULL, cancelled, NULL); // expect T1: threadbegin; fork T2
	pthread_cancel(t);
	pthread_join(t, &result); // expect T1: cancel T2; join T2
	if (result != PTHREAD_CANCELED)
		return 1;
	pthread_create(&t, NULL, outlives, NULL); // expect T1: fork T3
	pthread_exit(NULL);			  // expect T1: threadend
}
