/* Data, then a byte that the kernel moves on to another pipe, for a thread that waits there. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "../order.h"

static int first[2], second[2];
int data;
volatile int sink;

static void *mover(void *arg)
{
	order_me();
	assert(splice(first[0], NULL, second[1], NULL, 1, 0) == 1);
	assert(tee(first[0], second[1], 1, 0) == 1);
	return arg;
}

static void *reader(void *arg)
{
	char c;

	assert(read(second[0], &c, 1) == 1);
	sink = data;
	assert(read(second[0], &c, 1) == 1);
	sink = data;
	return arg;
}

int main(void)
{
	pthread_t t, u;

	assert(pipe(first) == 0 && pipe(second) == 0);
	pthread_create(&t, NULL, mover, NULL);
	pthread_create(&u, NULL, reader, NULL);
	order_asleep();
	data = 1;
	assert(write(first[1], "xy", 2) == 2);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
