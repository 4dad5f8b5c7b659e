/* The gate is given back between the two locks: then it guards nothing. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *p, pthread_mutex_t *q)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(p);
	pthread_mutex_unlock(&gate);
	pthread_mutex_lock(q); // deadlock ab x2
	pthread_mutex_unlock(q);
	pthread_mutex_unlock(p);
}

static void *first(void *arg)
{
	both(&a, &b);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	both(&b, &a);
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
