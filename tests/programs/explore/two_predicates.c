/* Two conditions of the data, one of the library: the one signal wakes the one who cannot use it. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static pthread_cond_t changed = COND;
static int level;

static void await(int least)
{
	LOCK(m);
	while (level < least)
		WAIT(changed, m);
	UNLOCK(m);
}

static void *patient(void *arg)
{
	await(2);
	return arg;
}

static void *quick(void *arg)
{
	await(1);
	LOCK(m);
	level = 2;
	pthread_cond_broadcast(&changed);
	UNLOCK(m);
	return arg;
}

static void *starter(void *arg)
{
	LOCK(m);
	level = 1;
	if (fixed)
		pthread_cond_broadcast(&changed);
	else
		pthread_cond_signal(&changed);
	UNLOCK(m);
	return arg;
}

int main(void)
{
	RUN(patient, quick, starter);
	return 0;
}
