/* Off by one: the halves share an element. */
#include <pthread.h>

#include "../order.h"

int a[64];

static void *worker(void *arg)
{
	int *half = arg;

	for (int i = 0; i <= 32; i++)
		half[i] += i; // race a a
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, worker, a);
	pthread_create(&u, NULL, worker, a + 31);
	order_at(0);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
