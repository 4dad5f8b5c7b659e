/* A worker that has not ended in time is thought to have done nothing. */
#define _GNU_SOURCE
#include "explore.h"

static atomic_int done;

static void *works(void *arg)
{
	done++;
	return arg;
}

int main(void)
{
	struct timespec at = { .tv_sec = 1 };
	pthread_t t;

	pthread_create(&t, NULL, works, NULL);
	if (pthread_timedjoin_np(t, NULL, &at) != 0) {
		if (!fixed)
			assert(done == 0);
		pthread_join(t, NULL);
	}
	assert(done == 1);
	return 0;
}
