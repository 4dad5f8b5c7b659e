/* A condition is copied with the structure it lies in, as a pool does that hands itself out; what
 * libc keeps in it changed since somebody last looked. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct gate {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	int open;
};

static struct gate *gate;

static void *opener(void *p)
{
	pthread_mutex_lock(&gate->lock);
	gate->open = 1;
	pthread_cond_broadcast(&gate->cond);
	pthread_mutex_unlock(&gate->lock);
	return p;
}

static void gate_pass(struct gate *copy)
{
	pthread_t t;

	pthread_mutex_lock(&gate->lock);
	*copy = *gate;
	pthread_create(&t, NULL, opener, NULL);
	while (!gate->open)
		pthread_cond_wait(&gate->cond, &gate->lock);
	gate->open = 0;
	*copy = *gate;
	pthread_mutex_unlock(&gate->lock);
	pthread_join(t, NULL);
	*copy = *gate;
}

int main(void)
{
	struct gate *copy = malloc(sizeof(*copy));

	gate = malloc(sizeof(*gate));
	*gate = (struct gate){ PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
	for (int i = 0; i < 3; i++)
		gate_pass(copy);
	printf("%d\n", copy->open);
	return 0;
}
