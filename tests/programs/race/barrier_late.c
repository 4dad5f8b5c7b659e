/* A write that comes after the barrier it should precede. */
#include <pthread.h>

#include "../order.h"

static pthread_barrier_t b;
int slot[2];
volatile int sink;

static void *writer(void *arg)
{
	slot[0] = 1;
	pthread_barrier_wait(&b);
	slot[1] = 1; // race slot
	order_at(0);
	return arg;
}

static void *reader(void *arg)
{
	pthread_barrier_wait(&b);
	order_at(1);
	sink = slot[0];
	sink = slot[1]; // race slot
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_barrier_init(&b, NULL, 2);
	pthread_create(&t, NULL, writer, NULL);
	pthread_create(&u, NULL, reader, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
