/* All sections are atomic; in one order of them the queue is read before it is filled. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static int announced, queued;

static void *producer(void *arg)
{
	LOCK(m);
	announced++;
	if (!fixed) {
		UNLOCK(m);
		LOCK(m);
	}
	queued++;
	UNLOCK(m);
	return arg;
}

static void *consumer(void *arg)
{
	bool some;

	LOCK(m);
	some = announced > 0;
	UNLOCK(m);
	if (!some)
		return arg;
	LOCK(m);
	queued--;
	assert(queued >= 0);
	UNLOCK(m);
	return arg;
}

int main(void)
{
	RUN(producer, consumer);
	return 0;
}
