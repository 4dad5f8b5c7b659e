/* Checks the balance in one section and takes from it in another. */
#include "two.h"

MUTEX(m);
static int balance = 100;

static void one(void)
{
	int enough;

	BEGIN("withdraw");
	LOCK(m);
	enough = balance >= 30; // split withdraw
	UNLOCK(m);
	if (enough) {
		LOCK(m);
		balance -= 30; // split withdraw
		UNLOCK(m);
	}
	END();
}

static void two(void)
{
	LOCK(m);
	balance = 0; // split withdraw
	UNLOCK(m);
}
