// counts lattice-mvc: cuts=7 runs=3 violating_runs=1
/* Two threads that compute with one another's numbers; one run of three has y ahead of z. */
#include <pthread.h>

#include "../order.h"

volatile int x = -1, y, z;

static void *first(void *arg)
{
	int v;

	v = x;
	x = v + 1;
	order_at(0);
	order_see(2);
	v = x;
	order_at(2);
	order_at(4);
	y = v + 1;
	return arg;
}

static void *second(void *arg)
{
	int v;

	order_at(1);
	v = x;
	z = v + 1;
	order_see(3);
	v = x;
	x = v + 1; // property interval
	order_at(3);
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
