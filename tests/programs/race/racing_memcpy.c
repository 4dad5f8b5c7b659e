/* A copy of a buffer against a store into its middle. */
#include <pthread.h>
#include <string.h>

#include "../order.h"

char from[64], to[64];

static void *first(void *arg)
{
	memcpy(to, from, sizeof(to)); // race to
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	to[17] = 1; // race to
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
