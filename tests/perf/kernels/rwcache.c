/*
 * A direct-mapped cache of a slow function behind one reader-writer lock:
 * nine lookups in ten hit and only read.
 */
#include "kernel.h"

#define LINES 8192

struct line {
	uint64_t key, value;
	int filled;
};

static struct kernel kernel;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct line cache[LINES]; /* guarded by lock */
static uint64_t sums[KERNEL_MAX_THREADS];

/* The number of steps of the 3n + 1 walk from key. */
static uint64_t slow(uint64_t key)
{
	uint64_t steps = 0;

	for (uint64_t n = key + 1; n != 1; steps++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return steps;
}

static uint64_t lookup(uint64_t key)
{
	struct line *line = &cache[key % LINES];
	uint64_t value = 0;
	int hit;

	pthread_rwlock_rdlock(&lock);
	hit = line->filled && line->key == key;
	if (hit)
		value = line->value;
	pthread_rwlock_unlock(&lock);
	if (hit)
		return value;

	value = slow(key);
	pthread_rwlock_wrlock(&lock);
	line->key = key;
	line->value = value;
	line->filled = 1;
	pthread_rwlock_unlock(&lock);
	return value;
}

static void *work(void *arg)
{
	uint64_t state = 123456789u + (uint64_t)(intptr_t)arg, sum = 0;

	for (long i = 0; i < kernel.scale / kernel.threads; i++) {
		uint64_t r = kernel_random(&state);
		uint64_t key = (r >> 20) % (r % 10 ? 1000 : 100000);

		sum += lookup(key) * (key + 1);
	}
	sums[(intptr_t)arg] = sum;
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel = kernel_args(argc, argv, 1500000);
	kernel_team(kernel.threads, work);
	for (int i = 0; i < kernel.threads; i++)
		sum += sums[i];
	printf("rwcache %ld: sum %llu\n", kernel.scale, (unsigned long long)sum);
	return 0;
}
