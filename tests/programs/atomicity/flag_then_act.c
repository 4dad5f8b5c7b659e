/* Looks at a flag in one section and sets it in another. */
#include "two.h"

MUTEX(m);
static int busy;

static void one(void)
{
	int was;

	BEGIN("claim");
	LOCK(m);
	was = busy; // split claim
	UNLOCK(m);
	if (!was) {
		LOCK(m);
		busy = 1; // split claim
		UNLOCK(m);
	}
	END();
}

static void two(void)
{
	LOCK(m);
	busy = 1; // split claim
	UNLOCK(m);
}
