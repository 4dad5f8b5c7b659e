/* Claims by an exchange, which does both at once. */
#include "two.h"

static int busy, owner;

static void one(void)
{
	BEGIN("claim");
	if (!__atomic_exchange_n(&busy, 1, __ATOMIC_SEQ_CST))
		owner = 1;
	END();
}

static void two(void)
{
	__atomic_exchange_n(&busy, 1, __ATOMIC_SEQ_CST);
}
