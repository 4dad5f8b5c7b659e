/* Cancelled while it waits: it has the mutex again when its handlers run. */
#include <pthread.h>

#include "order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void let_go(void *arg)
{
	pthread_mutex_unlock(arg);
}

static void *waiter(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(let_go, &m);
	order_at(0);
	pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(1);
	return arg;
}
// expect T2: threadbegin; lock m; unlock m wait; wait c with m; wake c !by; lock m wait
// expect T2: unlock m; threadend

int main(void)
{
	pthread_t t;
	void *result;

	pthread_create(&t, NULL, waiter, NULL); // expect T1: threadbegin; fork T2
	order_see(1);
	pthread_mutex_lock(&m); /* it waits */
	pthread_cancel(t);
	pthread_mutex_unlock(&m); // expect T1: lock m; cancel T2; unlock m
	pthread_join(t, &result); // expect T1: join T2
	pthread_cond_signal(&c);  // expect T1: signal c 0; threadend
	return result == PTHREAD_CANCELED ? 0 : 1;
}
