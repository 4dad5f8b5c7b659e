/* Both check and then act: each check comes out the same before the other has taken its part. */
#include "two.h"

MUTEX(m);
static int balance = 100;

static void withdraw(void)
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

static void one(void)
{
	withdraw();
}

static void two(void)
{
	withdraw();
}
