/* A lock that was only tried for is held like any other: waiting with it is not safe. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b); // deadlock ab
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	if (pthread_mutex_trylock(&b) == 0) {
		pthread_mutex_lock(&a); // deadlock ab
		pthread_mutex_unlock(&a);
		pthread_mutex_unlock(&b);
	}
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
