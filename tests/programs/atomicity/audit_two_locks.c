/* Holds both locks, as the other does. */
#include "two.h"

MUTEX(ma);
MUTEX(mb);
static int a = 50, b = 50, sum;

static void one(void)
{
	BEGIN("audit");
	LOCK(ma);
	LOCK(mb);
	sum = a + b;
	UNLOCK(mb);
	UNLOCK(ma);
	END();
}

static void two(void)
{
	BEGIN("move");
	LOCK(ma);
	LOCK(mb);
	a -= 10;
	b += 10;
	UNLOCK(mb);
	UNLOCK(ma);
	END();
}
