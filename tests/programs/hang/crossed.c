/* Hangs: each of two threads has the lock that the other wants, and the first waits for both. */
#include <pthread.h>

#include "order.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
	pthread_mutex_lock(&a);
	order_at(0);
	order_see(2);
	pthread_mutex_lock(&b); // last T2: request b
	return arg;
}

static void *two(void *arg)
{
	pthread_mutex_lock(&b);
	order_at(1);
	pthread_mutex_lock(&a); // last T3: request a
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, one, NULL);
	pthread_create(&u, NULL, two, NULL);
	pthread_join(t, NULL); // last T1: joining T2
	pthread_join(u, NULL);
	return 0;
}
