/* All three must find nothing, so that two are stopped at the wrong place. */
#include "explore.h"

static atomic_int count, none;

static void *counts(void *arg)
{
	int seen;

	if (fixed)
		seen = atomic_fetch_add(&count, 1);
	else
		atomic_store(&count, (seen = atomic_load(&count)) + 1);
	if (seen == 0)
		atomic_fetch_add(&none, 1);
	return arg;
}

int main(void)
{
	RUN(counts, counts, counts);
	assert(none < 3);
	return 0;
}
