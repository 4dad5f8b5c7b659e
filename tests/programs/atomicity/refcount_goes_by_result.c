/* Goes by what the subtraction itself says. */
#include "two.h"

static int refs = 1, freed;

static void one(void)
{
	BEGIN("put");
	if (__atomic_fetch_sub(&refs, 1, __ATOMIC_SEQ_CST) == 1)
		freed = 1;
	END();
}

static void two(void)
{
	__atomic_fetch_add(&refs, 1, __ATOMIC_SEQ_CST);
}
