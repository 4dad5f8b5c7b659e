/* A path that depends on what changes from run to run: the time, against LIMIT in the environment. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static int x, early, late;

static void *f(void *arg)
{
	const char *limit = getenv("LIMIT");

	if (time(NULL) < atol(limit ? limit : "0"))
		early = 1;
	else
		late = 1;
	x++;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, f, NULL);
	x++;
	pthread_join(t, NULL);
	return early + 2 * late;
}
