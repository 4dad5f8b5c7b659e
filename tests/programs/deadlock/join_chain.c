/* A join of a thread that joins a thread that takes the lock. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *grandchild(void *arg)
{
	pthread_mutex_lock(&m); // join-holding-lock chain
	pthread_mutex_unlock(&m);
	order_at(0);
	return arg;
}

static void *child(void *arg)
{
	pthread_t t;

	pthread_create(&t, NULL, grandchild, NULL);
	pthread_join(t, NULL); // join-holding-lock chain
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	order_at(1);
	pthread_mutex_lock(&m);
	pthread_join(t, NULL); // join-holding-lock chain
	pthread_mutex_unlock(&m);
	return 0;
}
