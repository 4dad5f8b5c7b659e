/* The same copy and store under one lock. */
#include <pthread.h>
#include <string.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
char from[64], to[64];

static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	memcpy(to, from, sizeof(to));
	pthread_mutex_unlock(&m);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&m);
	to[17] = 1;
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
