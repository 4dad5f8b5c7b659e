/* A barrier between the phase that writes and the phase that reads. */
#include <pthread.h>

#include "../order.h"

static pthread_barrier_t b;
int left, right;

static void *first(void *arg)
{
	left = 1;
	(void)0;
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	right = 2;
	return arg;
}

volatile int sum;

static void *both(void *arg)
{
	(arg ? first : second)(arg);
	pthread_barrier_wait(&b);
	if (arg)
		sum = left + right;
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_barrier_init(&b, NULL, 2);
	pthread_create(&t, NULL, both, &left);
	pthread_create(&u, NULL, both, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
