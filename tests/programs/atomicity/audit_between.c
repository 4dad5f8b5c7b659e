/* Sums two accounts, each under its lock, while another moves money. */
#include "two.h"

MUTEX(ma);
MUTEX(mb);
static int a = 50, b = 50, sum;

static void one(void)
{
	BEGIN("audit");
	LOCK(ma);
	sum = a; // split audit
	UNLOCK(ma);
	LOCK(mb);
	sum += b; // split audit
	UNLOCK(mb);
	END();
}

static void two(void)
{
	LOCK(ma);
	a -= 10; // split audit
	UNLOCK(ma);
	LOCK(mb);
	b += 10; // split audit
	UNLOCK(mb);
}
