/* Three threads count; one update is lost.  The program itself notices, by its status. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static volatile int count;

static void *counts(void *arg)
{
	if (fixed)
		LOCK(m);
	count = count + 1;
	if (fixed)
		UNLOCK(m);
	return arg;
}

int main(void)
{
	RUN(counts, counts, counts);
	return count == 3 ? 0 : 3;
}
