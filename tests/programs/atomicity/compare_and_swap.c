/* Adds by a loop that would notice. */
#include "two.h"

static int total;

static void add(int n)
{
	int v;

	BEGIN("add");
	v = __atomic_load_n(&total, __ATOMIC_SEQ_CST);
	while (!__atomic_compare_exchange_n(&total, &v, v + n, 0, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST))
		;
	END();
}

static void one(void)
{
	add(1);
}

static void two(void)
{
	add(2);
}
