/*
 * Runs that race nowhere, and of which something is missing all the same.  The argument says what.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "order.h"

static int x;

static void *count(void *arg)
{
	x++;
	return arg;
}

static void *stay(void *arg)
{
	order_at(0);
	order_see(2); /* nobody takes that step */
	return arg;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t t;

	pthread_create(&t, NULL, strcmp(what, "running") == 0 ? stay : count, NULL);
	if (strcmp(what, "running") == 0) {
		order_see(1);
		return 0;
	}
	if (strcmp(what, "library") == 0)
		order_at(0);
	pthread_join(t, NULL);
	x++;
	if (strcmp(what, "killed") == 0)
		kill(getpid(), SIGKILL);
	return 0;
}
