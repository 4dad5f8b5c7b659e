/* A recursive lock is left only when its last level is. */
#define _GNU_SOURCE
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int x;

static void inner(void)
{
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	x++;
}

static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	inner();
	pthread_mutex_unlock(&m);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&m);
	inner();
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
