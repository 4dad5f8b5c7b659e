/* The recorded run is the bad one: a counter below zero, and a division by what is zero then. */
#include <pthread.h>

#include "../order.h"

volatile int free_seats = 1, waiting = 1;

static void *first(void *arg)
{
	int n = free_seats;

	free_seats = n - 1; // property-error ratio
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	int n;

	order_at(1);
	n = free_seats;
	free_seats = n - 1; // property seats
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
