/* C11 atomics used rightly: a counter, a flag, an exchange. */
#include <pthread.h>
#include <stdatomic.h>

#include "../order.h"

static atomic_int count, flag;
int data;

static void *first(void *arg)
{
	data = 5;
	atomic_fetch_add(&count, 1);
	atomic_store(&flag, 1);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	atomic_fetch_add(&count, 1);
	if (atomic_exchange(&flag, 0))
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
