/* A wait that may be over before what it waits for has come. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static pthread_cond_t came = COND;
static int number;

static void *waits(void *arg)
{
	struct timespec at = { .tv_sec = 1 };

	LOCK(m);
	if (number == 0)
		pthread_cond_timedwait(&came, &m, &at);
	assert(fixed || number == 1);
	UNLOCK(m);
	return arg;
}

static void *tells(void *arg)
{
	LOCK(m);
	number = 1;
	pthread_cond_signal(&came);
	UNLOCK(m);
	return arg;
}

int main(void)
{
	RUN(waits, tells);
	return 0;
}
