/* longjmp over frames, out of callbacks of libc, back into a loop; arrays of any length. */
#define _GNU_SOURCE
#include <assert.h>
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, landing = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static __thread jmp_buf back;

static void count(int by)
{
	pthread_mutex_lock(&lock);
	shared += by;
	pthread_mutex_unlock(&lock);
}

/* Called by the worker itself, whatever was jumped over. */
static __attribute__((noinline)) void landed(void)
{
	count(0);
	pthread_mutex_lock(&landing);
	pthread_mutex_unlock(&landing);
}

static int deeper(int n)
{
	count(1);
	if (n == 0)
		longjmp(back, 7);
	return deeper(n - 1) + 1;
}

static int compare(const void *a, const void *b)
{
	static __thread int calls;

	count(1);
	if (++calls % 10 == 0)
		longjmp(back, 9);
	return *(const int *)a - *(const int *)b;
}

static int sum(int n)
{
	int array[n], *more = alloca((size_t)n * sizeof(int)), s = 0;

	for (int i = 0; i < n; i++)
		array[i] = more[i] = i;
	qsort(array, 1, sizeof(int), compare); /* no call: one element; the array escapes */
	for (int i = 0; i < n; i++)
		s += array[i] + more[i];
	return s;
}

static void *worker(void *arg)
{
	int numbers[64];

	(void)arg;
	for (volatile int i = 0; i < 200; i++) {
		switch (setjmp(back)) {
		case 0:
			if (i % 2) {
				deeper(i % 30);
			} else {
				for (int k = 0; k < 64; k++)
					numbers[k] = (k * 37) % 64;
				qsort(numbers, 64, sizeof(int), compare);
			}
			assert(0);
			break;
		case 7:
		case 9:
			landed();
			assert(sum(i + 1) == i * (i + 1));
			break;
		}
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	count(0);
	puts("done");
	return shared == 0;
}
