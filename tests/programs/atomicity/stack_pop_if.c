/* Pops if there is something, in one call. */
#include "two.h"

MUTEX(m);
static int stack[8] = { 1, 2 }, top = 2;

static void one(void)
{
	BEGIN("pop");
	LOCK(m);
	if (top > 0)
		stack[--top] = 0;
	UNLOCK(m);
	END();
}

static void two(void)
{
	one();
}
