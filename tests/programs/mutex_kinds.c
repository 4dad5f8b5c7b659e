/* Mutexes that nest or check: what is refused leaves no event. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

#include "order.h"

static pthread_mutex_t deep = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checks;

static void *other(void *arg)
{
	order_see(1);
	assert(pthread_mutex_unlock(&checks) == EPERM); // expect T2: threadbegin
	assert(pthread_mutex_unlock(&deep) == EPERM);
	assert(pthread_mutex_trylock(&deep) == EBUSY); // expect T2: tryfail deep try !refused
	return arg;				       // expect T2: threadend
}

int main(void)
{
	pthread_mutexattr_t attr;
	pthread_t t;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checks, &attr); // expect T1: threadbegin; lockinit checks !nests
	pthread_mutexattr_destroy(&attr);
	pthread_mutex_lock(&deep); // expect T1: lock deep nests
	pthread_mutex_lock(&deep); // expect T1: lock deep nests
	assert(pthread_mutex_unlock(&checks) == EPERM);
	pthread_mutex_lock(&checks); // expect T1: lock checks !nests
	assert(pthread_mutex_lock(&checks) == EDEADLK);
	pthread_create(&t, NULL, other, NULL); // expect T1: fork T2
	order_at(0);
	pthread_join(t, NULL);	       // expect T1: join T2
	pthread_mutex_unlock(&checks); // expect T1: unlock checks
	pthread_mutex_unlock(&deep);   // expect T1: unlock deep nests
	pthread_mutex_unlock(&deep);   // expect T1: unlock deep nests
	assert(pthread_mutex_unlock(&deep) == EPERM);
	return 0; // expect T1: threadend
}
