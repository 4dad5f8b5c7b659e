/* Scenario 02: flag. */
// races: f
#include <pthread.h>

#include "nap.h"

int f;

static void *first(void *arg)
{
	f = 1;
	return arg;
}

static void *second(void *arg)
{
	nap(1);
	look(f);
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
