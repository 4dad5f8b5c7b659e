/* Everybody holds a lock, but not the same one. */
#include "explore.h"

static pthread_mutex_t one = MUTEX, other = MUTEX;
static volatile int count;

static void *counts(void *arg)
{
	pthread_mutex_t *mine = NUMBER(arg) == 0 || fixed ? &one : &other;

	LOCK(*mine);
	count = count + 1;
	UNLOCK(*mine);
	return arg;
}

int main(void)
{
	RUN(counts, counts);
	assert(count == 2);
	return 0;
}
