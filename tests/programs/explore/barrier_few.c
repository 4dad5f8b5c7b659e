/* Who has nothing to do does not come to the barrier. */
#include "explore.h"

static pthread_barrier_t barrier;
static atomic_int jobs = 3;

static void *works(void *arg)
{
	bool some = atomic_fetch_sub(&jobs, 1) > 0;

	if (some && NUMBER(arg) == 0)
		some = atomic_fetch_sub(&jobs, 1) > 0;
	if (some || fixed)
		pthread_barrier_wait(&barrier);
	return arg;
}

int main(void)
{
	pthread_barrier_init(&barrier, NULL, 3);
	RUN(works, works, works);
	return 0;
}
