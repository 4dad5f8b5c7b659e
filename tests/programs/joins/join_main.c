/*
 * The first thread leaves by pthread_exit and is joined by another: what it did comes before.  Nothing
 * races.  The argument says by which function.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static pthread_t first;
static const char *how;
static int shared, bad;

static int join_first(void)
{
	struct timespec far = { 0x7fffffff, 0 };
	int r = 0;

	if (strcmp(how, "join") == 0)
		r = pthread_join(first, NULL);
	else if (strcmp(how, "tryjoin") == 0)
		while ((r = pthread_tryjoin_np(first, NULL)) == EBUSY)
			;
	else if (strcmp(how, "timedjoin") == 0)
		r = pthread_timedjoin_np(first, NULL, &far);
	else if (strcmp(how, "clockjoin") == 0)
		r = pthread_clockjoin_np(first, NULL, CLOCK_MONOTONIC, &far);
	else if (strcmp(how, "thrd_join") == 0)
		r = thrd_join(first, NULL) == thrd_success ? 0 : 1;
	return r;
}

static void *other(void *arg)
{
	bad = join_first();
	shared++;
	if (bad != 0 || shared != 2)
		exit(3);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	how = argc > 1 ? argv[1] : "join";
	first = pthread_self();
	if (pthread_create(&t, NULL, other, NULL) != 0)
		return 2;
	pthread_detach(t);
	shared++;
	pthread_exit(NULL);
}
