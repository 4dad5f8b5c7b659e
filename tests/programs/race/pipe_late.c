/* The writer goes on writing after the byte it has sent. */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

#include "../order.h"

static int ends[2];
int data;
volatile int sink;

static void *writer(void *arg)
{
	data = 1;
	assert(write(ends[1], "x", 1) == 1);
	data = 2; // race data
	order_at(0);
	return arg;
}

static void *reader(void *arg)
{
	char c;

	assert(read(ends[0], &c, 1) == 1);
	order_at(1);
	sink = data; // race data
	return arg;
}

int main(void)
{
	pthread_t t, u;

	assert(pipe(ends) == 0);
	pthread_create(&t, NULL, writer, NULL);
	pthread_create(&u, NULL, reader, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
