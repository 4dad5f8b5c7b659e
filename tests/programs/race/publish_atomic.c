/* Publication through an atomic flag. */
#include <pthread.h>
#include <stdatomic.h>

#include "../order.h"

int data;
static atomic_int ready;

static void *first(void *arg)
{
	data = 42;
	atomic_store_explicit(&ready, 1, memory_order_release);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	if (atomic_load_explicit(&ready, memory_order_acquire))
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
