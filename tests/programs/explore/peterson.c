/* Peterson's lock, which says whose turn it is before it says that it wants in. */
#include "explore.h"

static atomic_bool wants[2];
static atomic_int turn, inside;

/* Who would have to wait goes away. */
static void *visits(void *arg)
{
	int me = NUMBER(arg), other = 1 - me;

	if (fixed)
		wants[me] = true;
	turn = other;
	if (!fixed)
		wants[me] = true;
	if (!wants[other] || turn == me) {
		assert(atomic_fetch_add(&inside, 1) == 0);
		atomic_fetch_sub(&inside, 1);
	}
	wants[me] = false;
	return arg;
}

int main(void)
{
	RUN(visits, visits);
	return 0;
}
