/* It says that it has been done before it is. */
#include "explore.h"

static volatile bool done;
static volatile int table;
static pthread_once_t control = PTHREAD_ONCE_INIT;

static void fill(void)
{
	table = 4;
}

static void *user(void *arg)
{
	if (fixed) {
		pthread_once(&control, fill);
	} else if (!done) {
		done = true;
		fill();
	}
	assert(table == 4);
	return arg;
}

int main(void)
{
	RUN(user, user);
	return 0;
}
