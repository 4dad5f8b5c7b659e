/*
 * The recorded run ends in a wait whose signal came too early; who waits there would signal something else, in a
 * run that goes on.  So a signal of that may come too early as well, and yet its wait is not for ever.
 */
// hangs
// warned lost-wakeup
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, d = PTHREAD_COND_INITIALIZER;

static void *waits(void *arg)
{
	pthread_mutex_lock(&m);
	order_me();
	pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *signals(void *arg)
{
	order_asleep();
	pthread_cond_signal(&c);
	pthread_cond_signal(&d); // lost-wakeup d
	order_at(0);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, waits, NULL);
	pthread_create(&u, NULL, signals, NULL);
	pthread_mutex_lock(&n);
	order_see(1);
	pthread_cond_wait(&d, &n); // lost-wakeup d
	pthread_mutex_unlock(&n);
	pthread_cond_signal(&c);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
