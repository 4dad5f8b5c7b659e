/*
 * Two threads read from one open file, which nobody writes.  Who comes second gets the second byte, and does
 * nothing with any other: what the first has written before it read is not touched at the same time, what
 * it writes then is.
 * In a replay the second thread would be first, if it were not held.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "../order.h"

static int file;
int before, behind;
volatile int sink;

static void *first(void *arg)
{
	char c;

	before = 1;
	for (volatile int i = 0; i < 10000000; i++)
		;
	if (read(file, &c, 1) != 1 || c != 0x7f)
		return NULL;
	behind = 1; // race behind
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	char c;

	order_at(1);
	if (read(file, &c, 1) != 1 || c != 'E')
		return NULL;
	sink = before;
	sink = behind; // race behind
	return arg;
}

int main(void)
{
	pthread_t t, u;

	file = open("/proc/self/exe", O_RDONLY);
	assert(file >= 0);
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
