/* Two waiters, two signals: each wakes the one that it found waiting. */
#include <pthread.h>

#include "order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn;

static void *waiter(void *arg)
{
	pthread_mutex_lock(&m);
	order_at(*(int *)arg);
	pthread_cond_wait(&c, &m);
	turn++;
	pthread_mutex_unlock(&m);
	return NULL;
}
// expect T2: threadbegin; lock m; unlock m wait; wait c with m; wake c @first; lock m wait
// expect T2: unlock m; threadend
// expect T3: threadbegin; lock m; unlock m wait; wait c with m; wake c @second; lock m wait
// expect T3: unlock m; threadend

int main(void)
{
	int step[2] = { 0, 1 };
	pthread_t t[2];

	for (int i = 0; i < 2; i++) {
		pthread_create(&t[i], NULL, waiter, &step[i]);
		order_see(i + 1);	/* it has the mutex */
		pthread_mutex_lock(&m); /* it waits */
		pthread_cond_signal(&c);
		pthread_mutex_unlock(&m);
		pthread_join(t[i], NULL);
	}
	pthread_cond_signal(&c); /* to nobody */
	return 0;
}
// expect T1: threadbegin; fork T2; lock m; signal c 1 #first; unlock m; join T2
// expect T1: fork T3; lock m; signal c 1 #second; unlock m; join T3; signal c 0; threadend
