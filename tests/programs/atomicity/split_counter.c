/* Reads the counter in one section and writes it in another: updates are lost. */
#include "two.h"

MUTEX(m);
static int counter;

static void one(void)
{
	int v;

	BEGIN("count");
	LOCK(m);
	v = counter; // split count
	UNLOCK(m);
	LOCK(m);
	counter = v + 1; // split count
	UNLOCK(m);
	END();
}

static void two(void)
{
	one();
}
