/* main does not wait for its worker: nobody knows what is done by then. */
#include "explore.h"

static atomic_int done;

static void *worker(void *arg)
{
	done = 1;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	if (fixed)
		pthread_join(t, NULL);
	return done ? 0 : 4;
}
