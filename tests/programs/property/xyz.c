// counts lattice-weak: cuts=13 edges=15 runs=4 violating_runs=1 dead_ends=0
// counts lattice-mvc: cuts=10 runs=3 violating_runs=0
/* Two writes of x, each with a reader: what they are part of may change places as a whole. */
#include <pthread.h>

#include "../order.h"

volatile int x, y, z;

static void *first(void *arg)
{
	x = -1;
	z = x + 3;
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	x = 1; // property negative_first
	y = x + z;
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
