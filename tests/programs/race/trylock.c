/* A failed try goes another way; a successful one is a lock. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void *first(void *arg)
{
	if (pthread_mutex_trylock(&m) == 0) {
		x++;
		pthread_mutex_unlock(&m);
	}
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	if (pthread_mutex_trylock(&m) == 0) {
		x++;
		pthread_mutex_unlock(&m);
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
