/* Adds by a load and a store, each of them atomic. */
#include "two.h"

static int total;

static void one(void)
{
	BEGIN("add");
	int v = __atomic_load_n(&total, __ATOMIC_SEQ_CST); // split add
	__atomic_store_n(&total, v + 1, __ATOMIC_SEQ_CST); // split add
	END();
}

static void two(void)
{
	__atomic_fetch_add(&total, 1, __ATOMIC_SEQ_CST); // split add
}
