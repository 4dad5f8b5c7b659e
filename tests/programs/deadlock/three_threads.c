/* A cycle that needs three threads: no two of them are in each other's way. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b); // deadlock abc
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&c); // deadlock abc
	pthread_mutex_unlock(&c);
	pthread_mutex_unlock(&b);
	order_at(2);
	return arg;
}

static void *third(void *arg)
{
	order_at(3);
	pthread_mutex_lock(&c);
	pthread_mutex_lock(&a); // deadlock abc
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&c);
	return arg;
}

int main(void)
{
	pthread_t t, u, v;

	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_create(&v, NULL, third, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	pthread_join(v, NULL);
	return 0;
}
