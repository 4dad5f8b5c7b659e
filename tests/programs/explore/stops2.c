/* The reader must see both values, so it is stopped between them, as the writer is: two preemptions. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static volatile int state;

static void *writer(void *arg)
{
	if (fixed)
		LOCK(m);
	state = 1;
	state = 2;
	if (fixed)
		UNLOCK(m);
	return arg;
}

static void *reader(void *arg)
{
	int first, second;

	if (fixed)
		LOCK(m);
	first = state;
	second = state;
	if (fixed)
		UNLOCK(m);
	assert(!(first == 1 && second == 2));
	return arg;
}

int main(void)
{
	RUN(writer, reader);
	return 0;
}
