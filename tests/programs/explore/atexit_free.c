/* What is done at the end of the process, while a thread is still there. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static int *number;

static void at_end(void)
{
	LOCK(m);
	free(number);
	number = NULL;
	UNLOCK(m);
}

static void *counts(void *arg)
{
	LOCK(m);
	if (!fixed || number != NULL)
		++*number;
	UNLOCK(m);
	return arg;
}

int main(void)
{
	pthread_t t;

	number = calloc(1, sizeof(*number));
	atexit(at_end);
	pthread_create(&t, NULL, counts, NULL);
	pthread_detach(t);
	return 0;
}
