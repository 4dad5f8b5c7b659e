/* Loops over arrays: two that overlap race, in the element where they do; halves do not, nor what a lock guards. */
#include <pthread.h>

#include "../order.h"

#define N 400

static long shared[N], apart[N], guarded[N], from[N];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void fill(long *to, const long *with, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = with[i] + 1; // race shared
}

static __attribute__((noinline)) void half(long *to, const long *with, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = with[i] + 1;
}

static __attribute__((noinline)) long sum(const long *of, int n)
{
	long s = 0;

	for (int i = n; i-- > 0;)
		s += of[i]; // race shared
	return s;
}

static void section(void)
{
	pthread_mutex_lock(&lock);
	half(guarded, from, N);
	pthread_mutex_unlock(&lock);
}

static void *first(void *arg)
{
	fill(shared, from, N);
	half(apart, from, N / 2);
	section();
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	section();
	half(apart + N / 2, from, N / 2);
	return sum(shared + N - 1, 1) + sum(shared + 9, 300) ? arg : NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
