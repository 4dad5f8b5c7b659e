/* The count is taken down, and then looked at: two may find that they were the last. */
#include "explore.h"

static atomic_int references = 2, destroyed;

static void *puts_back(void *arg)
{
	int left = atomic_fetch_sub(&references, 1) - 1;

	if (!fixed)
		left = atomic_load(&references);
	if (left == 0)
		atomic_fetch_add(&destroyed, 1);
	return arg;
}

int main(void)
{
	RUN(puts_back, puts_back);
	assert(destroyed == 1);
	return 0;
}
