/*
 * Parallel merge sort of ints: the upper half goes to a new thread until there
 * are about as many threads as asked for, then plain recursion.  Order comes
 * from thread creation and join alone.
 */
#include "kernel.h"

#include <string.h>

#define SMALL 24

struct job {
	int *from, *spare;
	long n;
	int threads;
};

static void insertion_sort(int *v, long n)
{
	for (long i = 1; i < n; i++) {
		int x = v[i];
		long j = i;

		for (; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

static void merge(int *v, long half, long n, int *spare)
{
	long i = 0, j = half, k;

	memcpy(spare, v, (size_t)half * sizeof(*v));
	for (k = 0; i < half && j < n; k++)
		v[k] = spare[i] <= v[j] ? spare[i++] : v[j++];
	while (i < half)
		v[k++] = spare[i++];
}

static void *sort(void *arg)
{
	struct job *job = arg;
	long half = job->n / 2;
	struct job low = { job->from, job->spare, half, job->threads - job->threads / 2 };
	struct job high = { job->from + half, job->spare + half, job->n - half, job->threads / 2 };
	pthread_t t;

	if (job->n <= SMALL) {
		insertion_sort(job->from, job->n);
		return NULL;
	}
	if (high.threads > 0 && pthread_create(&t, NULL, sort, &high) == 0) {
		sort(&low);
		pthread_join(t, NULL);
	} else {
		sort(&low);
		sort(&high);
	}
	merge(job->from, half, job->n, job->spare);
	return NULL;
}

int main(int argc, char **argv)
{
	struct kernel kernel = kernel_args(argc, argv, 2000000);
	uint64_t state = 88172645463325252u, sum = 0;
	long n = kernel.scale, disorder = 0;
	int *v = kernel_alloc((size_t)n, sizeof(*v));
	int *spare = kernel_alloc((size_t)n, sizeof(*v));
	struct job all = { v, spare, n, kernel.threads };

	for (long i = 0; i < n; i++)
		v[i] = (int)(kernel_random(&state) >> 33);
	sort(&all);
	for (long i = 0; i < n; i++) {
		disorder += i > 0 && v[i - 1] > v[i];
		sum += (uint64_t)v[i] * (uint64_t)(i % 1000);
	}
	printf("msort %ld: disorder %ld, sum %llu\n", n, disorder, (unsigned long long)sum);
	free(v);
	free(spare);
	return disorder != 0;
}
