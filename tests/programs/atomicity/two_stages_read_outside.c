/* As two_stages_read_later, but who reads holds the lock that the two stages are under. */
#include "two.h"

MUTEX(m);
MUTEX(whole);
static int state;

static void one(void)
{
	BEGIN("finish");
	LOCK(whole);
	LOCK(m);
	state = 1;
	UNLOCK(m);
	LOCK(m);
	state = 2;
	UNLOCK(m);
	UNLOCK(whole);
	END();
}

static void two(void)
{
	int v;

	LOCK(whole);
	LOCK(m);
	v = state;
	UNLOCK(m);
	if (v == 1)
		puts("half done");
	UNLOCK(whole);
}
