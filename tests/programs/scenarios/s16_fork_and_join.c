/* Scenario 16: fork and join. */
// races: none
#include <pthread.h>

#include "nap.h"

int x;

static void *first(void *arg)
{
	x++;
	return arg;
}

int main(void)
{
	pthread_t t;

	x = 1;
	pthread_create(&t, NULL, first, NULL);
	pthread_join(t, NULL);
	look(x);
	return 0;
}
