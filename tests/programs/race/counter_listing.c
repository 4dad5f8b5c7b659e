/* y++; lock x++ unlock against lock x++ unlock; y++: nothing depends on the count. */
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
	order_at(1);
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
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
