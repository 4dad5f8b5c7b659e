/* <threads.h>: the POSIX objects under other names. */
#include <assert.h>
#include <threads.h>
#include <time.h>

#include "order.h"

static mtx_t m, deep;
static cnd_t c;
static once_flag flag = ONCE_FLAG_INIT;
static int value;

static volatile int step; /* between two calls in vain, of which one would tell it all */

static void set(void)
{
	value = 1;
}

static int worker(void *arg)
{
	struct timespec past = { 0, 0 };

	(void)arg;
	call_once(&flag, set);			 // expect T2: threadbegin; oncepass flag
	assert(mtx_trylock(&deep) == thrd_busy); // expect T2: tryfail deep try
	step = 1;
	assert(mtx_timedlock(&deep, &past) == thrd_timedout); // expect T2: tryfail deep try
	mtx_lock(&m); /* main waits */			      // expect T2: lock m
	cnd_signal(&c);					      // expect T2: signal c 1 #s
	mtx_unlock(&m);					      // expect T2: unlock m
	order_see(1);
	mtx_lock(&m); /* main waits again */ // expect T2: lock m
	cnd_broadcast(&c);		     // expect T2: broadcast c 1 #b
	mtx_unlock(&m);			     // expect T2: unlock m
	thrd_exit(7);			     // expect T2: threadend
}

static int nothing(void *arg)
{
	(void)arg;
	return 0; // expect T3: threadbegin; threadend
}

int main(void)
{
	struct timespec past = { 0, 0 };
	thrd_t t;
	int result;

	mtx_init(&m, mtx_plain);		    // expect T1: threadbegin; lockinit m !nests
	mtx_init(&deep, mtx_timed | mtx_recursive); // expect T1: lockinit deep nests
	cnd_init(&c);				    // expect T1: condinit c
	call_once(&flag, set);			    // expect T1: oncebegin flag; onceend flag main
	assert(mtx_lock(&deep) == thrd_success);    // expect T1: lock deep nests
	assert(mtx_trylock(&m) == thrd_success);    // expect T1: lock m try
	assert(cnd_timedwait(&c, &m, &past) == thrd_timedout);
	// expect T1: unlock m wait; wait c with m; wake c timeout; lock m wait
	thrd_create(&t, worker, NULL); // expect T1: fork T2
	cnd_wait(&c, &m); // expect T1: unlock m wait; wait c with m; wake c @s; lock m wait
	order_at(0);
	cnd_wait(&c, &m);      // expect T1: unlock m wait; wait c with m; wake c @b; lock m wait
	mtx_unlock(&m);	       // expect T1: unlock m
	thrd_join(t, &result); // expect T1: join T2
	assert(result == 7 && value == 1);
	thrd_create(&t, nothing, NULL); // expect T1: fork T3
	thrd_join(t, NULL);		// expect T1: join T3
	mtx_unlock(&deep);		// expect T1: unlock deep nests
	mtx_destroy(&m);		// expect T1: lockdestroy m
	cnd_destroy(&c);		// expect T1: conddestroy c
	return 0;			// expect T1: threadend
}
