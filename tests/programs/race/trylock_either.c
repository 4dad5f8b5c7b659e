/* A try fails while the second thread has the lock; it would have failed against the first one too. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_see(1);
	x = 1; // race x
	pthread_mutex_lock(&m);
	order_at(1);
	order_see(3);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	order_see(2);
	if (pthread_mutex_trylock(&m) == 0)
		return 1;
	x = 2; // race x
	order_at(2);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
