/* A normal mutex, by every call that may take it. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t n;

static volatile int step; /* between two calls in vain, of which one would tell it all */

static void *other(void *arg)
{
	struct timespec past = { 0, 0 };

	order_at(1);
	assert(pthread_mutex_trylock(&m) == EBUSY); // expect T2: threadbegin; tryfail m try
	step = 1;
	assert(pthread_mutex_timedlock(&m, &past) == ETIMEDOUT); // expect T2: tryfail m try
	step = 2;
	assert(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
	order_at(2); // expect T2: tryfail m try; threadend
	return arg;
}

int main(void)
{
	struct timespec future = { 0x7fffffff, 0 };
	pthread_t t;

	pthread_mutex_init(&n, NULL);		// expect T1: threadbegin; lockinit n
	pthread_mutex_lock(&n);			// expect T1: lock n
	pthread_mutex_unlock(&n);		// expect T1: unlock n
	pthread_mutex_destroy(&n);		// expect T1: lockdestroy n
	pthread_create(&t, NULL, other, NULL);	// expect T1: fork T2
	assert(pthread_mutex_trylock(&m) == 0); // expect T1: lock m try
	order_at(0);
	order_see(3);
	pthread_mutex_unlock(&m);			   // expect T1: unlock m
	pthread_join(t, NULL);				   // expect T1: join T2
	assert(pthread_mutex_timedlock(&m, &future) == 0); // expect T1: lock m try
	pthread_mutex_unlock(&m);			   // expect T1: unlock m
	assert(pthread_mutex_clocklock(&m, CLOCK_REALTIME, &future) == 0);
	pthread_mutex_unlock(&m); // expect T1: lock m try; unlock m
	return 0;		  // expect T1: threadend
}
