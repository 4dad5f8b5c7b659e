/* Both find that it is not there, and both make it. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static int *volatile thing;

static void *user(void *arg)
{
	if (fixed)
		LOCK(m);
	if (!thing)
		thing = malloc(sizeof(*thing));
	*thing = NUMBER(arg);
	assert(*thing == NUMBER(arg));
	if (fixed)
		UNLOCK(m);
	return arg;
}

int main(void)
{
	RUN(user, user);
	return 0;
}
