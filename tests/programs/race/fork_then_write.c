/* The parent writes between fork and join. */
#include <pthread.h>

#include "../order.h"

int x;

static void *worker(void *arg)
{
	order_at(1);
	x++; // race x
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	x = 1; // race x
	order_at(0);
	pthread_join(t, NULL);
	return 0;
}
