/* Two permits for two threads that need two each, and take them one by one. */
#include "explore.h"

static sem_t permits;
static pthread_mutex_t m = MUTEX;

static void *works(void *arg)
{
	if (fixed)
		LOCK(m);
	sem_wait(&permits);
	sem_wait(&permits);
	if (fixed)
		UNLOCK(m);
	sem_post(&permits);
	sem_post(&permits);
	return arg;
}

int main(void)
{
	sem_init(&permits, 0, 2);
	RUN(works, works);
	return 0;
}
