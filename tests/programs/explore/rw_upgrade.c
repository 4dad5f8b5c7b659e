/* Who reads and finds the data stale asks for the write lock, and has the read lock. */
#include "explore.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static bool stale;

static void *reader(void *arg)
{
	pthread_rwlock_rdlock(&lock);
	if (stale) {
		if (fixed)
			pthread_rwlock_unlock(&lock);
		pthread_rwlock_wrlock(&lock);
		stale = false;
	}
	pthread_rwlock_unlock(&lock);
	return arg;
}

static void *writer(void *arg)
{
	pthread_rwlock_wrlock(&lock);
	stale = true;
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	RUN(reader, reader, writer);
	return 0;
}
