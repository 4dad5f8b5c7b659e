/* A wait without a test: whoever comes late waits for ever. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	order_at(0);
	pthread_cond_wait(&c, &m); // lost-wakeup start
	pthread_mutex_unlock(&m);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&m);
	pthread_cond_signal(&c); // lost-wakeup start
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
