/*
 * The recorded run ends in a deadlock; who is in it would signal, in a run that goes on.  So a signal may come
 * too early, and yet its wait is not for ever.
 */
// hangs
// warned lost-wakeup
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *waits(void *arg)
{
	pthread_mutex_lock(&m);
	order_me();
	pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *crosses(void *arg)
{
	order_asleep();
	pthread_cond_signal(&c);
	pthread_mutex_lock(&b);
	order_at(0);
	order_see(2);
	pthread_mutex_lock(&a); // deadlock ab
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, waits, NULL);
	pthread_create(&u, NULL, crosses, NULL);
	pthread_mutex_lock(&a);
	order_at(1);
	pthread_mutex_lock(&b); // deadlock ab
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	pthread_cond_signal(&c);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
