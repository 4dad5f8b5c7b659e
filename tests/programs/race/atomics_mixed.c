/* One side is atomic, the other is not. */
#include <pthread.h>

#include "../order.h"

int count;

static void *first(void *arg)
{
	__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST); // race count
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	count++; // race count
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
