/* One barrier a round: who is fast writes the next round's value while the other still reads. */
#include "explore.h"

static pthread_barrier_t barrier;
static volatile int value[2];

static void *works(void *arg)
{
	int me = NUMBER(arg);

	for (int round = 1; round <= 2; round++) {
		value[me] = round;
		pthread_barrier_wait(&barrier);
		assert(value[1 - me] == round);
		if (fixed)
			pthread_barrier_wait(&barrier);
	}
	return arg;
}

int main(void)
{
	pthread_barrier_init(&barrier, NULL, 2);
	RUN(works, works);
	return 0;
}
