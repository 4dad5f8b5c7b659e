/*
 * Two threads read from one stream, whose buffer has all of it at once.  Who comes second gets the second
 * byte, and does nothing with any other: what the first has written before it read is not touched at the
 * same time, what it writes then is.
 * In a replay the second thread would be first, if it were not held.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "../order.h"

static FILE *in;
int before, behind;
volatile int sink;

static void *first(void *arg)
{
	int c;

	before = 1;
	for (volatile int i = 0; i < 10000000; i++)
		;
	if ((c = fgetc(in)) != 'A')
		return NULL;
	behind = 1; // race behind
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	int c;

	order_at(1);
	if ((c = fgetc(in)) != 'B')
		return NULL;
	sink = before;
	sink = behind; // race behind
	return arg;
}

int main(void)
{
	pthread_t t, u;
	int ends[2];

	assert(pipe(ends) == 0 && write(ends[1], "AB", 2) == 2);
	in = fdopen(ends[0], "r");
	assert(in != NULL);
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
