/* The bakery without `choosing': two may hold the same number, and one has not shown it yet. */
#include "explore.h"

static atomic_int number[2];
static atomic_bool choosing[2];
static atomic_int inside;

/* Who would have to wait goes away. */
static bool may_enter(int me, int mine)
{
	int other = 1 - me, theirs;

	if (fixed && choosing[other])
		return false;
	theirs = number[other];
	return theirs == 0 || theirs > mine || (theirs == mine && other > me);
}

static void *buys(void *arg)
{
	int me = NUMBER(arg), mine;

	choosing[me] = true;
	mine = number[1 - me] + 1;
	number[me] = mine;
	choosing[me] = false;
	if (may_enter(me, mine)) {
		assert(atomic_fetch_add(&inside, 1) == 0);
		atomic_fetch_sub(&inside, 1);
	}
	number[me] = 0;
	return arg;
}

int main(void)
{
	RUN(buys, buys);
	return 0;
}
