/*
 * What every kernel shares: arguments, a team of threads, a small generator.
 *
 * A kernel is called as NAME [SCALE [THREADS]] and prints one line, which is
 * the same in every run: it is a checksum where the program is deterministic.
 */
#ifndef PERF_KERNEL_H
#define PERF_KERNEL_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define KERNEL_MAX_THREADS 64

struct kernel {
	long scale;
	int threads;
};

/* A positive number from argv[i], or `otherwise' when it is not given. */
static inline long kernel_number(int argc, char **argv, int i, long otherwise)
{
	long n = i < argc ? strtol(argv[i], NULL, 10) : otherwise;

	if (n <= 0) {
		fprintf(stderr, "%s: bad number '%s'\n", argv[0], argv[i]);
		exit(2);
	}
	return n;
}

static inline struct kernel kernel_args(int argc, char **argv, long scale)
{
	struct kernel k = {
		.scale = kernel_number(argc, argv, 1, scale),
		.threads = (int)kernel_number(argc, argv, 2, 4),
	};

	if (k.threads > KERNEL_MAX_THREADS)
		k.threads = KERNEL_MAX_THREADS;
	return k;
}

/* Memory for n objects, zeroed; ends the program when there is none. */
static inline void *kernel_alloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p) {
		fprintf(stderr, "out of memory\n");
		exit(2);
	}
	return p;
}

/* Start body(index) in a new thread. */
static inline pthread_t kernel_start(void *(*body)(void *), int index)
{
	pthread_t t;

	if (pthread_create(&t, NULL, body, (void *)(intptr_t)index) != 0) {
		fprintf(stderr, "cannot create thread %d\n", index);
		exit(2);
	}
	return t;
}

/* Run body(0) ... body(n - 1) in n threads and wait for all. */
static inline void kernel_team(int n, void *(*body)(void *))
{
	pthread_t team[KERNEL_MAX_THREADS];

	for (int i = 0; i < n; i++)
		team[i] = kernel_start(body, i);
	for (int i = 0; i < n; i++)
		pthread_join(team[i], NULL);
}

/* xorshift; the state must not be 0. */
static inline uint64_t kernel_random(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*state = x;
	return x;
}

#endif /* PERF_KERNEL_H */
