/* The worker says that it is done, and looks once more at what is given back then. */
#include "explore.h"

#define MAGIC 0x1234567
static struct job {
	int magic;
	char rest[60];
} * job;
static sem_t done;

static void *worker(void *arg)
{
	struct job *mine = job;

	if (!fixed)
		sem_post(&done);
	assert(mine->magic == MAGIC);
	if (fixed)
		sem_post(&done);
	return arg;
}

int main(void)
{
	pthread_t t;

	sem_init(&done, 0, 0);
	job = malloc(sizeof(*job));
	job->magic = MAGIC;
	pthread_create(&t, NULL, worker, NULL);
	sem_wait(&done);
	job->magic = 0;
	free(job);
	pthread_join(t, NULL);
	return 0;
}
