/* Who does not get in gives back a permit that he never had. */
#include "explore.h"

static sem_t permit;
static atomic_int inside;

static void *visits(void *arg)
{
	bool got = sem_trywait(&permit) == 0;

	if (got) {
		assert(atomic_fetch_add(&inside, 1) == 0);
		atomic_fetch_sub(&inside, 1);
	}
	if (got || !fixed)
		sem_post(&permit);
	return arg;
}

int main(void)
{
	sem_init(&permit, 0, 1);
	RUN(visits, visits, visits);
	return 0;
}
