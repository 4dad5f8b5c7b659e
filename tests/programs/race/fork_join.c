/* What fork and join order needs no lock. */
#include <pthread.h>

#include "../order.h"

int x;

static void *worker(void *arg)
{
	x++;
	return arg;
}

int main(void)
{
	pthread_t t;

	x = 1;
	for (int i = 0; i < 3; i++) {
		pthread_create(&t, NULL, worker, NULL);
		pthread_join(t, NULL);
		x++;
	}
	order_at(0);
	return x != 7;
}
