/* A block that gives its work to a thread of its own. */
#include "two.h"

static int work;

static void *helper(void *arg)
{
	work++;
	return arg;
}

static void one(void)
{
	pthread_t t;

	BEGIN("delegate");
	work = 1;
	pthread_create(&t, NULL, helper, NULL);
	pthread_join(t, NULL);
	work++;
	END();
}

static void two(void)
{
}
