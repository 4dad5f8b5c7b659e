/* Read-write locks: both modes, every call. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t l;
static struct timespec past, future = { 0x7fffffff, 0 };

static volatile int step; /* between two calls in vain, of which one would tell it all */

static void *reader(void *arg)
{
	assert(pthread_rwlock_tryrdlock(&l) == 0);     // expect T2: threadbegin; rdlock l try
	assert(pthread_rwlock_trywrlock(&l) == EBUSY); // expect T2: tryfail l try
	step = 1;
	assert(pthread_rwlock_timedwrlock(&l, &past) == ETIMEDOUT); // expect T2: tryfail l try
	step = 2;
	assert(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
	pthread_rwlock_unlock(&l); // expect T2: tryfail l try; rdunlock l; threadend
	return arg;
}

static void *refused(void *arg)
{
	assert(pthread_rwlock_tryrdlock(&l) == EBUSY); // expect T3: threadbegin; tryfail l try
	step = 1;
	assert(pthread_rwlock_timedrdlock(&l, &past) == ETIMEDOUT); // expect T3: tryfail l try
	step = 2;
	assert(pthread_rwlock_clockrdlock(&l, CLOCK_REALTIME, &past) == ETIMEDOUT);
	return arg; // expect T3: tryfail l try; threadend
}

int main(void)
{
	pthread_t t;

	pthread_rwlock_init(&l, NULL);			      // expect T1: threadbegin; lockinit l
	pthread_rwlock_rdlock(&l);			      // expect T1: rdlock l
	pthread_create(&t, NULL, reader, NULL);		      // expect T1: fork T2
	pthread_join(t, NULL);				      // expect T1: join T2
	pthread_rwlock_unlock(&l);			      // expect T1: rdunlock l
	pthread_rwlock_wrlock(&l);			      // expect T1: lock l
	pthread_create(&t, NULL, refused, NULL);	      // expect T1: fork T3
	pthread_join(t, NULL);				      // expect T1: join T3
	pthread_rwlock_unlock(&l);			      // expect T1: unlock l
	assert(pthread_rwlock_timedrdlock(&l, &future) == 0); // expect T1: rdlock l try
	pthread_rwlock_unlock(&l);			      // expect T1: rdunlock l
	assert(pthread_rwlock_timedwrlock(&l, &future) == 0); // expect T1: lock l try
	pthread_rwlock_unlock(&l);			      // expect T1: unlock l
	assert(pthread_rwlock_clockrdlock(&l, CLOCK_REALTIME, &future) == 0);
	pthread_rwlock_unlock(&l); // expect T1: rdlock l try; rdunlock l
	assert(pthread_rwlock_clockwrlock(&l, CLOCK_REALTIME, &future) == 0);
	pthread_rwlock_unlock(&l); // expect T1: lock l try; unlock l
	assert(pthread_rwlock_trywrlock(&l) == 0);
	pthread_rwlock_unlock(&l); // expect T1: lock l try; unlock l
	pthread_rwlock_destroy(&l);
	return 0; // expect T1: lockdestroy l; threadend
}
