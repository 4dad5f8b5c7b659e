/* A race, and output that is another one every time, whatever its order.  t9000-replay.sh */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static int x;

static void *f(void *arg)
{
	x = 1;
	return arg;
}

int main(void)
{
	struct timespec now;
	pthread_t t;

	pthread_create(&t, NULL, f, NULL);
	x = 2;
	pthread_join(t, NULL);
	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("%ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
	return 0;
}
