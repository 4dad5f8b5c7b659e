/* Asks whether the stack is empty, then pops: two calls. */
#include "two.h"

MUTEX(m);
static int stack[8] = { 1, 2 }, top = 2;

static int is_empty(void)
{
	int empty;

	LOCK(m);
	empty = top == 0; // split pop
	UNLOCK(m);
	return empty;
}

static void one(void)
{
	BEGIN("pop");
	if (!is_empty()) {
		LOCK(m);
		stack[--top] = 0; // split pop
		UNLOCK(m);
	}
	END();
}

static void two(void)
{
	LOCK(m);
	top = 0; // split pop
	UNLOCK(m);
}
