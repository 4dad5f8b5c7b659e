// counts lattice-mvc: cuts=6 runs=3 violating_runs=2
/* The landing controller of examples/, in an order that is certain. */
#include <pthread.h>

#include "../order.h"

volatile int radio = 1, approved, landing;

static void *controller(void *arg)
{
	approved = radio;
	if (approved == 1)
		landing = 1; // property land
	order_at(0);
	return arg;
}

static void *radio_watch(void *arg)
{
	order_at(1);
	radio = 0;
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, controller, NULL);
	pthread_create(&u, NULL, radio_watch, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
