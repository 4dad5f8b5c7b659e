/*
 * Two locks, taken in both orders, but never at the same time in this run: `pushed' sees to that,
 * and the recorder does not see it.  t6010 looks for the lines with comments.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;

struct job {
	pthread_mutex_t lock;
	int done;
};

static struct job *job;
static int pushed; /* atomic */

static inline __attribute__((always_inline)) void take(pthread_mutex_t *m)
{
	pthread_mutex_lock(m); /* take */
}

__attribute__((noinline)) void push_job(void)
{
	take(&queue_lock); /* push: queue */
	take(&job->lock);  /* push: job */
	job->done++;
	pthread_mutex_unlock(&job->lock);
	pthread_mutex_unlock(&queue_lock);
}

__attribute__((noinline)) void finish_job(void)
{
	take(&job->lock);
	take(&queue_lock);
	job->done++;
	pthread_mutex_unlock(&queue_lock);
	pthread_mutex_unlock(&job->lock);
}

static void *pusher(void *arg)
{
	push_job(); /* called */
	__atomic_store_n(&pushed, 1, __ATOMIC_RELEASE);
	return arg;
}

static void *finisher(void *arg)
{
	while (!__atomic_load_n(&pushed, __ATOMIC_ACQUIRE))
		sched_yield();
	finish_job();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	job = calloc(1, sizeof(*job));
	pthread_mutex_init(&job->lock, NULL);
	pthread_create(&t[0], NULL, pusher, NULL);
	pthread_create(&t[1], NULL, finisher, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d jobs, %d arguments, the last is %s\n", job->done, argc, argv[argc - 1]);
	fprintf(stderr, "this is for stderr\n");
	return 5;
}
