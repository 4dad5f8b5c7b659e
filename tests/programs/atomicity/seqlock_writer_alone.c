// record: --full (the second load of seq repeats the first)
/* Looks whether a writer has come between, but one writer tells nobody. */
#include "two.h"

static unsigned seq;
static int data, more;
static int got;

static void one(void)
{
	unsigned at;
	int x, y;

	BEGIN("read");
	do {
		at = __atomic_load_n(&seq, __ATOMIC_ACQUIRE);
		x = __atomic_load_n(&data, __ATOMIC_ACQUIRE); // split read
		y = __atomic_load_n(&more, __ATOMIC_ACQUIRE); // split read
	} while ((at & 1) || at != __atomic_load_n(&seq, __ATOMIC_ACQUIRE));
	END();
	got = x + y;
}

static void two(void)
{
	__atomic_store_n(&data, 5, __ATOMIC_SEQ_CST); // split read
	__atomic_store_n(&more, 6, __ATOMIC_SEQ_CST); // split read
}
