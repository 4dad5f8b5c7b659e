/* Two critical sections in the order that hides the race: the lock's sections may swap. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, z;

static void *first(void *arg)
{
	z = 1; // race z
	pthread_mutex_lock(&m);
	x = 1;
	pthread_mutex_unlock(&m);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&m);
	x = 2;
	pthread_mutex_unlock(&m);
	z = 2; // race z
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
