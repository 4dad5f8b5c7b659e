/* The twin of counter_listing in which the count decides a branch: the sections cannot swap. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y, big;

static void *first(void *arg)
{
	y++;
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&m);
	if (++x > 1)
		big = 1;
	pthread_mutex_unlock(&m);
	if (big)
		y++;
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
