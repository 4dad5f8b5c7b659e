/* The count decides a branch, but only by being below ten: the sections can swap. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y;

static void *first(void *arg)
{
	y++; // race y
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	int few;

	order_at(1);
	pthread_mutex_lock(&m);
	few = x < 10;
	pthread_mutex_unlock(&m);
	if (few)
		y++; // race y
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
