/*
 * The landing controller, in the harmless order; then the program goes on for a while, and ends with
 * status 42 as soon as the file is there that the first argument names.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

volatile int radio = 1, approved, landing;
static volatile int turns;

static void *controller(void *arg)
{
	approved = radio;
	if (approved == 1)
		landing = 1;
	return arg;
}

static void *radio_watch(void *arg)
{
	usleep(50000);
	radio = 0;
	for (;;) {
		turns = turns + 1;
		usleep(10000);
	}
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
	pthread_t t, u;

	pthread_create(&t, NULL, controller, NULL);
	pthread_create(&u, NULL, radio_watch, NULL);
	pthread_join(t, NULL);
	while (now() < end) {
		if (access(argv[1], F_OK) == 0)
			return 42;
		usleep(10000);
	}
	return 0;
}
