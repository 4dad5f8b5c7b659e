/*
 * A grid of cells, each becoming the mean of its neighbours in every step;
 * threads own bands of rows and meet at a barrier between steps.
 */
#include "kernel.h"

#define SIDE 256

static struct kernel kernel;
static pthread_barrier_t barrier;
typedef int row[SIDE];

static row *now, *next; /* swapped by thread 0 between two barriers */

static int mean(int a, int b, int c, int d)
{
	return (a + b + c + d + 2) / 4;
}

static void step(int from, int to)
{
	for (int y = from; y < to; y++)
		for (int x = 1; x < SIDE - 1; x++)
			next[y][x] =
				mean(now[y - 1][x], now[y + 1][x], now[y][x - 1], now[y][x + 1]);
}

static void *work(void *arg)
{
	int me = (int)(intptr_t)arg, rows = SIDE - 2;
	int from = 1 + rows * me / kernel.threads, to = 1 + rows * (me + 1) / kernel.threads;

	for (long i = 0; i < kernel.scale; i++) {
		step(from, to);
		pthread_barrier_wait(&barrier);
		if (me == 0) {
			row *swap = now;

			now = next;
			next = swap;
		}
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel = kernel_args(argc, argv, 1000);
	pthread_barrier_init(&barrier, NULL, (unsigned)kernel.threads);
	now = kernel_alloc(SIDE, sizeof(*now));
	next = kernel_alloc(SIDE, sizeof(*next));
	for (int i = 0; i < SIDE; i++)
		now[i][0] = next[i][0] = now[0][i] = next[0][i] = i * 4000;
	kernel_team(kernel.threads, work);
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			sum = sum * 31 + (uint64_t)now[y][x];
	printf("stencil %ld: sum %llu\n", kernel.scale, (unsigned long long)sum);
	pthread_barrier_destroy(&barrier);
	free(now);
	free(next);
	return 0;
}
