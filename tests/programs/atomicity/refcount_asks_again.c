/* Puts a reference, then asks how many there are. */
#include "two.h"

static int refs = 1, freed;

static void one(void)
{
	BEGIN("put");
	__atomic_fetch_sub(&refs, 1, __ATOMIC_SEQ_CST);	   // split put
	if (__atomic_load_n(&refs, __ATOMIC_SEQ_CST) == 0) // split put
		freed = 1;
	END();
}

static void two(void)
{
	__atomic_fetch_add(&refs, 1, __ATOMIC_SEQ_CST); // split put
}
