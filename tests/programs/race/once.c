/* Initialisation by pthread_once. */
#include <pthread.h>

#include "../order.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
int table;

static void fill(void)
{
	table = 9;
}

static void *first(void *arg)
{
	pthread_once(&once, fill);
	(void)*(volatile int *)&table;
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_once(&once, fill);
	(void)*(volatile int *)&table;
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
