/*
 * Sums over an array of one's own, where one access in EVERY is of a variable that all threads share; of these one in
 * sixteen writes.  What a guard costs where the spec names that variable.
 */
#include "kernel.h"

#ifndef EVERY
#define EVERY 100
#endif
#define ROOM 1024

static struct kernel kernel;
static volatile long watched;

static void *work(void *arg)
{
	volatile long *own = kernel_alloc(ROOM, sizeof(*own));
	long sum = (long)(intptr_t)arg, touches = 0;

	for (long i = 0; i < kernel.scale / kernel.threads; i++) {
		if (i % EVERY != 0)
			sum += own[i % ROOM];
		else if (++touches % 16 == 0)
			watched = touches;
		else
			sum += watched;
	}
	own[0] = sum;
	free((void *)own);
	return NULL;
}

int main(int argc, char **argv)
{
	kernel = kernel_args(argc, argv, 10000000);
	kernel_team(kernel.threads, work);
	printf("touch %ld: done\n", kernel.scale);
	return 0;
}
