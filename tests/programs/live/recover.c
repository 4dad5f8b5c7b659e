/*
 * A race at the start, and then a long life: until the file named by the first argument is there
 * (status 42), or for the seconds of the second.  What the file means is the caller's.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int counter;

static void *work(void *arg)
{
	counter++;
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

	pthread_create(&t, NULL, work, NULL);
	counter++;
	pthread_join(t, NULL);
	while (now() < end) {
		if (access(argv[1], F_OK) == 0)
			return 42;
		usleep(10000);
	}
	return 0;
}
