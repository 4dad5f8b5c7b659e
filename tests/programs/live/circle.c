/*
 * Two threads, one after the other, take two locks in opposite order; then as recover.c.  With a
 * third argument both go through a gate lock, and all is well.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int gated, turns;

static void take(pthread_mutex_t *first, pthread_mutex_t *second)
{
	if (gated)
		pthread_mutex_lock(&gate);
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	turns++;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	if (gated)
		pthread_mutex_unlock(&gate);
}

static void *work(void *arg)
{
	take(&left, &right);
	return arg;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 2 ? atof(argv[2]) : 0);
	pthread_t t;

	gated = argc > 3;
	pthread_create(&t, NULL, work, NULL);
	take(&right, &left);
	while (now() < end) {
		if (access(argv[1], F_OK) == 0)
			return 42;
		usleep(10000);
	}
	pthread_join(t, NULL);
	return 0;
}
