/* A ring for one producer and one consumer: the index is set before the item. */
#include "explore.h"

#define SIZE 2

static atomic_uint head, tail;
static volatile int items[SIZE];

static void *producer(void *arg)
{
	for (int i = 1; i <= 2; i++) {
		unsigned at = tail;

		if (at - head == SIZE)
			break;
		if (!fixed)
			tail = at + 1;
		items[at % SIZE] = i;
		if (fixed)
			tail = at + 1;
	}
	return arg;
}

static void *consumer(void *arg)
{
	for (int i = 1; head != tail; i++) {
		assert(items[head % SIZE] == i);
		head++;
	}
	return arg;
}

int main(void)
{
	RUN(producer, consumer);
	return 0;
}
