/* A robust mutex outlives its owner: the next one gets it, and may give it up for good. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

#include "order.h"

static pthread_mutex_t m, n;

static void *dies(void *arg)
{
	pthread_mutex_lock(&m); // expect T2: threadbegin; lock m; threadend
	return arg;		// expect T3: threadbegin; lock m; threadend
}

static void *dies_late(void *arg)
{
	pthread_mutex_lock(&n); // expect T4: threadbegin; lock n; threadend
	order_at(0);
	order_asleep();
	return arg;
}

static void leave_it_locked(void)
{
	pthread_t t;

	pthread_create(&t, NULL, dies, NULL);
	pthread_join(t, NULL);
}

int main(void)
{
	pthread_mutexattr_t attr;
	pthread_t t;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &attr);
	leave_it_locked(); // expect T1: threadbegin; lockinit m; fork T2; join T2
	assert(pthread_mutex_lock(&m) == EOWNERDEAD);
	pthread_mutex_consistent(&m);
	pthread_mutex_unlock(&m);
	leave_it_locked(); // expect T1: lock m; unlock m; fork T3; join T3
	assert(pthread_mutex_trylock(&m) == EOWNERDEAD);
	pthread_mutex_unlock(&m); /* not made consistent */
	// expect T1: lock m try; unlock m
	assert(pthread_mutex_lock(&m) == ENOTRECOVERABLE);    // expect T1: tryfail m refused
	assert(pthread_mutex_trylock(&m) == ENOTRECOVERABLE); // expect T1: tryfail m refused
	pthread_mutex_init(&n, &attr);			      // expect T1: lockinit n
	pthread_create(&t, NULL, dies_late, NULL);	      // expect T1: fork T4
	order_see(1);
	order_me();
	assert(pthread_mutex_lock(&n) == EOWNERDEAD); // see T1: request n; lock n dead
	pthread_mutex_consistent(&n);
	pthread_mutex_unlock(&n); // expect T1: lock n dead; unlock n
	pthread_join(t, NULL);	  // expect T1: join T4
	return 0;		  // expect T1: threadend
}
