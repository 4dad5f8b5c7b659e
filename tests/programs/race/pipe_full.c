/* A writer that found no room goes on behind what its reader did before it made some, however it writes. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../order.h"

#define SIZE 4096

static int ends[2];
static char bytes[2 * SIZE], got[SIZE];
static FILE *stream;
int data, more, by_stream, by_call;
volatile int sink;

static void *writer(void *arg)
{
	assert(write(ends[1], bytes, SIZE) == SIZE);
	order_me();
	assert(write(ends[1], bytes, 1) == 1);
	sink = data;
	order_me();
	assert(write(ends[1], bytes, sizeof(bytes)) == sizeof(bytes));
	sink = more;
	order_me();
	assert(fwrite(bytes, 1, sizeof(bytes), stream) == sizeof(bytes));
	sink = by_stream;
	order_me();
	assert(syscall(SYS_write, ends[1], bytes, sizeof(bytes)) == sizeof(bytes));
	sink = by_call;
	return arg;
}

static void empty(int n)
{
	while (n > 0) {
		ssize_t r = read(ends[0], got, sizeof(got));

		assert(r > 0);
		n -= (int)r;
	}
}

int main(void)
{
	pthread_t t;

	assert(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, SIZE) == SIZE);
	stream = fdopen(ends[1], "w");
	setvbuf(stream, NULL, _IONBF, 0);
	pthread_create(&t, NULL, writer, NULL);
	order_asleep();
	data = 1;
	empty(SIZE + 1);
	order_asleep();
	more = 1;
	empty(sizeof(bytes));
	order_asleep();
	by_stream = 1;
	empty(sizeof(bytes));
	order_asleep();
	by_call = 1;
	empty(sizeof(bytes));
	pthread_join(t, NULL);
	return 0;
}
