/*
 * c = a * b for square matrices of doubles, rows dealt to threads in turn.
 * Shared data is only read, and each result is written once: no locks at all.
 */
#include "kernel.h"

static struct kernel kernel;
static double *a, *b, *c;

static void *multiply(void *arg)
{
	long n = kernel.scale;

	for (long i = (intptr_t)arg; i < n; i += kernel.threads) {
		for (long j = 0; j < n; j++) {
			double sum = 0;

			for (long k = 0; k < n; k++)
				sum += a[i * n + k] * b[k * n + j];
			c[i * n + j] = sum;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	double sum = 0;
	long n;

	kernel = kernel_args(argc, argv, 300);
	n = kernel.scale;
	a = kernel_alloc(n * n, sizeof(*a));
	b = kernel_alloc(n * n, sizeof(*b));
	c = kernel_alloc(n * n, sizeof(*c));
	for (long i = 0; i < n * n; i++) {
		a[i] = (double)(i % 7);
		b[i] = (double)(i % 5) - 1;
	}
	kernel_team(kernel.threads, multiply);
	for (long i = 0; i < n * n; i++)
		sum += c[i] * (double)(i % 3 + 1);
	printf("matmul %ld: %.0f\n", n, sum);
	free(a);
	free(b);
	free(c);
	return 0;
}
