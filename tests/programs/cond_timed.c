/* Waits that give up; signals that come in time. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c;
static struct timespec past, future = { 0x7fffffff, 0 };

static void *signaller(void *arg)
{
	pthread_mutex_lock(&m); /* main waits */
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return arg;
}
// expect T2: threadbegin; lock m; signal c 1 #in_time; unlock m; threadend
// expect T3: threadbegin; lock m; signal c 1 #by_clock; unlock m; threadend

int main(void)
{
	pthread_t t;

	pthread_cond_init(&c, NULL); // expect T1: threadbegin; condinit c
	pthread_mutex_lock(&m);	     // expect T1: lock m
	assert(pthread_cond_timedwait(&c, &m, &past) == ETIMEDOUT);
	// expect T1: unlock m wait; wait c with m; wake c timeout !by; lock m wait
	assert(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
	// expect T1: unlock m wait; wait c with m; wake c timeout !by; lock m wait
	pthread_create(&t, NULL, signaller, NULL); // expect T1: fork T2
	assert(pthread_cond_timedwait(&c, &m, &future) == 0);
	// expect T1: unlock m wait; wait c with m; wake c !timeout @in_time; lock m wait
	pthread_join(t, NULL);			   // expect T1: join T2
	pthread_create(&t, NULL, signaller, NULL); // expect T1: fork T3
	assert(pthread_cond_clockwait(&c, &m, CLOCK_REALTIME, &future) == 0);
	// expect T1: unlock m wait; wait c with m; wake c !timeout @by_clock; lock m wait
	pthread_mutex_unlock(&m); // expect T1: unlock m
	pthread_join(t, NULL);	  // expect T1: join T3
	pthread_cond_destroy(&c); // expect T1: conddestroy c
	return 0;		  // expect T1: threadend
}
