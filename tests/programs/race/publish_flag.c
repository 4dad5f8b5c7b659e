/* Publication through a plain flag. */
#include <pthread.h>

#include "../order.h"

int data, ready;

static void *first(void *arg)
{
	data = 42;
	ready = 1; // race ready
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	if (ready) // race ready
		data++;
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
