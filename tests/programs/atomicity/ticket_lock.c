/* A lock of tickets: who waits for his turn asks for the number that is served in the middle of the other's block. */
#include "two.h"

static unsigned next, serving;
static int a, b;

static void one(void)
{
	unsigned mine;

	BEGIN("turn");
	mine = __atomic_fetch_add(&next, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&serving, __ATOMIC_ACQUIRE) != mine)
		;
	if (a == b)
		b = ++a;
	__atomic_fetch_add(&serving, 1, __ATOMIC_RELEASE);
	END();
}

static void two(void)
{
	one();
}
