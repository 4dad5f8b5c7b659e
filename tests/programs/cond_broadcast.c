/* One broadcast wakes both waiters. */
#include <pthread.h>

#include "order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *arg)
{
	pthread_mutex_lock(&m);
	order_at(*(int *)arg);
	while (!ready)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return NULL;
}
// expect T2: threadbegin; lock m; unlock m wait; wait c with m; wake c @all; lock m wait
// expect T2: unlock m; threadend
// expect T3: threadbegin; lock m; unlock m wait; wait c with m; wake c @all; lock m wait
// expect T3: unlock m; threadend

int main(void)
{
	int step[2] = { 0, 1 };
	pthread_t t[2];

	pthread_create(&t[0], NULL, waiter, &step[0]);
	order_see(
		1); /* else the second might take the mutex first, and wait for its turn with it */
	pthread_create(&t[1], NULL, waiter, &step[1]);
	order_see(2);		/* the second has the mutex, so the first waits */
	pthread_mutex_lock(&m); /* both wait */
	ready = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
// expect T1: threadbegin; fork T2; fork T3; lock m; broadcast c 2 #all; unlock m
// expect T1: join T2; join T3; threadend
