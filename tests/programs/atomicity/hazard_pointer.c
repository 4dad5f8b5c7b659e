// record: --full (the second load of the pointer repeats the first)
/* Says which object it uses, and looks whether that is still the one. */
#include "two.h"

static int old = 1, new = 2, *current = &old, *used;
static int got, unused;

static void one(void)
{
	int *at;

	BEGIN("use");
	do {
		at = __atomic_load_n(&current, __ATOMIC_SEQ_CST);
		__atomic_store_n(&used, at, __ATOMIC_SEQ_CST);
	} while (at != __atomic_load_n(&current, __ATOMIC_SEQ_CST));
	got = *at;
	__atomic_store_n(&used, NULL, __ATOMIC_SEQ_CST);
	END();
}

static void two(void)
{
	__atomic_store_n(&current, &new, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&used, __ATOMIC_SEQ_CST) == NULL)
		unused = 1;
}
