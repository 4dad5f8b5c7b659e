/* Every way to create, end and collect a thread. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;

static void at_end(void *arg)
{
	pthread_mutex_lock(arg); // expect T2: threadbegin; lock m; unlock m; threadend
	pthread_mutex_unlock(arg);
}

static void *returns(void *arg)
{
	pthread_setspecific(key, &m);
	order_see(1);
	return arg;
}

static void *exits(void *arg)
{
	pthread_exit(arg); // expect T3: threadbegin; threadend
}

static void *detaches(void *arg)
{
	pthread_detach(pthread_self()); // expect T4: threadbegin; detach T4; threadend
	order_at(1);
	return arg;
}

static void *plain(void *arg)
{
	return arg; // expect T5: threadbegin; threadend // expect T6: threadbegin; threadend
}
static volatile int step; /* between two calls in vain, of which one would tell it all */

int main(void)
{
	struct timespec past = { 0, 0 }, future = { 0x7fffffff, 0 };
	pthread_attr_t huge;
	pthread_t t;
	void *r;

	pthread_key_create(&key, at_end);
	pthread_create(&t, NULL, returns, &m);	    // expect T1: threadbegin; fork T2
	assert(pthread_tryjoin_np(t, &r) == EBUSY); // see T1: joinfail T2
	step = 1;
	assert(pthread_timedjoin_np(t, &r, &past) == ETIMEDOUT); // see T1: joinfail T2
	order_at(0);
	assert(pthread_join(t, &r) == 0 && r == &m);			// expect T1: join T2
	pthread_create(&t, NULL, exits, &key);				// expect T1: fork T3
	assert(pthread_timedjoin_np(t, &r, &future) == 0 && r == &key); // expect T1: join T3
	pthread_create(&t, NULL, detaches, NULL);			// expect T1: fork T4
	order_see(2);
	pthread_create(&t, NULL, plain, NULL);				   // expect T1: fork T5
	assert(pthread_clockjoin_np(t, &r, CLOCK_REALTIME, &future) == 0); // expect T1: join T5
	pthread_create(&t, NULL, plain, NULL);				   // expect T1: fork T6
	while (pthread_tryjoin_np(t, &r) != 0)
		;
	pthread_attr_init(&huge); // expect T1: join T6
	pthread_attr_setstacksize(&huge, (size_t)1 << 47);
	assert(pthread_create(&t, &huge, plain, NULL) != 0); // expect T1: fork T7; forkfail T7
	return 0;					     // expect T1: threadend
}
