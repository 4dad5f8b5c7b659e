/*
 * A stack without locks.  While one thread is about to take the top off, the other takes off both
 * and puts the first back: the top is the same again, what was below is not.  A version mends it.
 */
#include "explore.h"

#define NONE 0xffu
#define VERSION 0x100u

static atomic_uint top; /* a node, and the version above it */
static atomic_uint next[2] = { 1, NONE };
static atomic_int taken[2];

static unsigned pop(void)
{
	unsigned old = atomic_load(&top), node, new;

	do {
		node = old & NONE;
		if (node == NONE)
			return NONE;
		new = atomic_load(&next[node]) | ((old & ~NONE) + (fixed ? VERSION : 0));
	} while (!atomic_compare_exchange_strong(&top, &old, new));
	assert(atomic_fetch_add(&taken[node], 1) == 0);
	return node;
}

static void push(unsigned node)
{
	unsigned old = atomic_load(&top);

	atomic_fetch_sub(&taken[node], 1);
	do
		atomic_store(&next[node], old & NONE);
	while (!atomic_compare_exchange_strong(&top, &old,
					       node | ((old & ~NONE) + (fixed ? VERSION : 0))));
}

static void *one(void *arg)
{
	pop();
	pop();
	return arg;
}

static void *other(void *arg)
{
	unsigned first = pop();

	pop();
	if (first != NONE)
		push(first);
	return arg;
}

int main(void)
{
	RUN(one, other);
	return 0;
}
