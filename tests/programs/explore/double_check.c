/* What is checked without the lock is published before it is ready. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static struct thing {
	volatile int value;
} thing;
static _Atomic(struct thing *) shared;

static struct thing *get(void)
{
	if (!shared) {
		LOCK(m);
		if (!shared) {
			if (!fixed)
				shared = &thing;
			thing.value = 5;
			shared = &thing;
		}
		UNLOCK(m);
	}
	return shared;
}

static void *user(void *arg)
{
	assert(get()->value == 5);
	return arg;
}

int main(void)
{
	RUN(user, user);
	return 0;
}
