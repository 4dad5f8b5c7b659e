/*
 * Which of eight lines races is told by a clock, or by random bytes: argv[1] says which.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int x;
static const char *source;

/* Some number. */
static unsigned draw(void)
{
	struct timespec t = { 0 };
	struct timeval v;
	unsigned n = 0;

	if (strcmp(source, "clock_gettime") == 0) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		return (unsigned)t.tv_nsec / 100;
	}
	if (strcmp(source, "timespec_get") == 0) {
		timespec_get(&t, TIME_UTC);
		return (unsigned)t.tv_nsec / 100;
	}
	if (strcmp(source, "gettimeofday") == 0) {
		gettimeofday(&v, NULL);
		return (unsigned)v.tv_usec;
	}
	if (strcmp(source, "clock") == 0)
		return (unsigned)clock() / 10;
	if (strcmp(source, "time") == 0)
		return (unsigned)time(NULL);
	if (strcmp(source, "srand") == 0) {
		srand((unsigned)time(NULL));
		return (unsigned)rand() >> 4;
	}
	if (strcmp(source, "getrandom") == 0)
		return getrandom(&n, sizeof(n), 0) == sizeof(n) ? n : 0;
	if (strcmp(source, "getentropy") == 0)
		return getentropy(&n, sizeof(n)) == 0 ? n : 0;
#if __GLIBC_PREREQ(2, 36)
	if (strcmp(source, "arc4random") == 0)
		return arc4random();
	if (strcmp(source, "arc4random_uniform") == 0)
		return arc4random_uniform(1000);
	if (strcmp(source, "arc4random_buf") == 0) {
		arc4random_buf(&n, sizeof(n));
		return n;
	}
#endif
	exit(9);
}

static void *racer(void *arg)
{
	/* As others do who wait for a while: how often they look is not the same in every run. */
	unsigned n = draw() + draw();

	switch (n % 8) {
	case 0:
		x = 10;
		break;
	case 1:
		x = 11;
		break;
	case 2:
		x = 12;
		break;
	case 3:
		x = 13;
		break;
	case 4:
		x = 14;
		break;
	case 5:
		x = 15;
		break;
	case 6:
		x = 16;
		break;
	default:
		x = 17;
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	source = argc > 1 ? argv[1] : "time";
	pthread_create(&t, NULL, racer, NULL);
	usleep(20000);
	printf("%d\n", x);
	pthread_join(t, NULL);
	return 0;
}
