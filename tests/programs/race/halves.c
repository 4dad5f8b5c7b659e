/* Each thread has its half of the array. */
#include <pthread.h>

#include "../order.h"

int a[64];

static void *worker(void *arg)
{
	int *half = arg;

	for (int i = 0; i < 32; i++)
		half[i] += i;
	return NULL;
}

int main(void)
{
	pthread_t t, u;
	int sum = 0;

	pthread_create(&t, NULL, worker, a);
	pthread_create(&u, NULL, worker, a + 32);
	order_at(0);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	for (int i = 0; i < 64; i++)
		sum += a[i];
	return sum != 992;
}
