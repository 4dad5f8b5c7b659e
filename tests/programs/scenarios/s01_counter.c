/* Scenario 01: counter. */
// races: x
#include <pthread.h>

#include "nap.h"

int x;

static void *first(void *arg)
{
	x++;
	return arg;
}

static void *second(void *arg)
{
	nap(1);
	x++;
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
