/* Data, then a byte through a pipe: the reader has read the byte before it looks. */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
int data, rest;
volatile int sink;

static void *writer(void *arg)
{
	data = 1;
	assert(write(ends[1], "x", 1) == 1);
	rest = 2;
	close(ends[1]);
	return arg;
}

static void *reader(void *arg)
{
	char c;

	assert(read(ends[0], &c, 1) == 1);
	sink = data;
	assert(read(ends[0], &c, 1) == 0);
	sink = rest;
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
