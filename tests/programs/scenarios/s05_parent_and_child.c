/* Scenario 05: parent and child. */
// races: x
#include <pthread.h>

#include "nap.h"

int x;

static void *first(void *arg)
{
	nap(1);
	look(x);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, first, NULL);
	x = 1;
	pthread_join(t, NULL);
	return 0;
}
