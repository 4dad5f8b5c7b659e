/*
 * Threads add to shared plain counters with no lock; each step picks its
 * counters through a pointer, so that every access stays in the program.
 * Updates get lost, hence the result is not printed.
 */
#include "kernel.h"

#define COUNTERS 64

static struct kernel kernel;
static long *counters[COUNTERS];

static void *work(void *arg)
{
	uint64_t state = 2463534242u + (uint64_t)(intptr_t)arg;
	long odd = 0;

	for (long i = 0; i < kernel.scale / kernel.threads; i++) {
		uint64_t r = kernel_random(&state);
		long *one = counters[r % COUNTERS];
		long *two = counters[(r >> 32) % COUNTERS];

		*one += 1;
		*two += *one & 1;
		odd += *two & 1;
	}
	*counters[0] += odd;
	return NULL;
}

int main(int argc, char **argv)
{
	long sum = 0;

	kernel = kernel_args(argc, argv, 8000000);
	for (int i = 0; i < COUNTERS; i++)
		counters[i] = kernel_alloc(1, sizeof(long));
	kernel_team(kernel.threads, work);
	for (int i = 0; i < COUNTERS; i++) {
		sum += *counters[i];
		free(counters[i]);
	}
	printf("racy %ld: %s\n", kernel.scale, sum > 0 ? "some updates survived" : "nothing done");
	return 0;
}
