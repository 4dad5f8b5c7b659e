/* The child's setting is made after the child: it mostly comes in time. */
#include "explore.h"

static volatile int setting;

static void *child(void *arg)
{
	assert(setting == 7);
	return arg;
}

int main(void)
{
	pthread_t t;

	if (fixed)
		setting = 7;
	pthread_create(&t, NULL, child, NULL);
	if (!fixed)
		setting = 7;
	pthread_join(t, NULL);
	return 0;
}
