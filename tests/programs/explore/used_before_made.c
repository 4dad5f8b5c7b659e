/* The user is started before the maker, and does not wait for it: no preemption is needed. */
#include "explore.h"

static int thing;
static int *volatile made;
static sem_t ready;

static void *user(void *arg)
{
	if (fixed)
		sem_wait(&ready);
	*made = 1;
	return arg;
}

static void *maker(void *arg)
{
	made = &thing;
	sem_post(&ready);
	return arg;
}

int main(void)
{
	sem_init(&ready, 0, 0);
	RUN(user, maker);
	return thing != 1;
}
