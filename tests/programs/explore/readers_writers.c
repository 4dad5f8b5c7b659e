/* Readers are counted after they have seen that nobody writes. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static pthread_cond_t free_again = COND;
static int readers;
static bool writing;
static volatile int first, second;

static void *reader(void *arg)
{
	LOCK(m);
	while (writing)
		WAIT(free_again, m);
	if (!fixed) {
		UNLOCK(m);
		LOCK(m);
	}
	readers++;
	UNLOCK(m);
	assert(first == second);
	LOCK(m);
	readers--;
	pthread_cond_broadcast(&free_again);
	UNLOCK(m);
	return arg;
}

static void *writer(void *arg)
{
	LOCK(m);
	while (writing || readers > 0)
		WAIT(free_again, m);
	writing = true;
	UNLOCK(m);
	first = 1;
	second = 1;
	LOCK(m);
	writing = false;
	pthread_cond_broadcast(&free_again);
	UNLOCK(m);
	return arg;
}

int main(void)
{
	RUN(reader, writer);
	return 0;
}
