/* The owner takes from the bottom, the thief from the top: the last item must be fought for. */
#include "explore.h"

static atomic_int top, bottom = 1;
static atomic_int taken;

static bool claim(int t)
{
	return atomic_compare_exchange_strong(&top, &t, t + 1);
}

static void *owner(void *arg)
{
	int b = atomic_load(&bottom) - 1, t;
	bool mine;

	atomic_store(&bottom, b);
	t = atomic_load(&top);
	mine = t <= b;
	if (t == b) {
		if (fixed)
			mine = claim(t);
		else
			atomic_store(&top, t + 1);
		atomic_store(&bottom, b + 1);
	}
	if (mine)
		atomic_fetch_add(&taken, 1);
	return arg;
}

static void *thief(void *arg)
{
	int t = atomic_load(&top);

	if (t < atomic_load(&bottom) && claim(t))
		atomic_fetch_add(&taken, 1);
	return arg;
}

int main(void)
{
	RUN(owner, thief, thief);
	assert(taken == 1);
	return 0;
}
