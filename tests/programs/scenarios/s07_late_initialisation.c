/* Scenario 07: late initialisation. */
// races: p
#include <pthread.h>

#include "nap.h"

int p;

static void *first(void *arg)
{
	nap(2);
	look(p);
	return arg;
}

static void *second(void *arg)
{
	look(p);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, first, NULL);
	p = 1;
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
