/* The consumer sees an empty queue, then that all is done: the last item came in between. */
#include "explore.h"

static atomic_int queued;
static atomic_bool done;
static int got;

static void *producer(void *arg)
{
	atomic_fetch_add(&queued, 1);
	done = true;
	return arg;
}

static void *consumer(void *arg)
{
	bool over;

	(void)arg;
	for (int i = 0; i < 2; i++) {
		over = fixed ? done : false;
		if (atomic_load(&queued) > 0) {
			atomic_fetch_sub(&queued, 1);
			got++;
		} else if (fixed ? over : done) {
			return (void *)1;
		}
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	void *left;

	pthread_create(&t[0], NULL, producer, NULL);
	pthread_create(&t[1], NULL, consumer, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], &left);
	assert(!left || got == 1);
	return 0;
}
