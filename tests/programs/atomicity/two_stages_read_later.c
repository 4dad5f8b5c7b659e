/* What lies between the two stages is read under the lock, and looked at when that has been given back. */
#include "two.h"

MUTEX(m);
static int state;

static void one(void)
{
	BEGIN("finish");
	LOCK(m);
	state = 1; // split finish
	UNLOCK(m);
	LOCK(m);
	state = 2; // split finish
	UNLOCK(m);
	END();
}

static void two(void)
{
	int v;

	LOCK(m);
	v = state; // split finish
	UNLOCK(m);
	if (v == 1)
		puts("half done");
}
