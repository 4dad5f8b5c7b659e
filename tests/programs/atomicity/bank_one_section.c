/* Checks and takes in one section. */
#include "two.h"

MUTEX(m);
static int balance = 100;

static void one(void)
{
	BEGIN("withdraw");
	LOCK(m);
	if (balance >= 30)
		balance -= 30;
	UNLOCK(m);
	END();
}

static void two(void)
{
	LOCK(m);
	balance = 0;
	UNLOCK(m);
}
