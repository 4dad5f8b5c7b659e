/* Takes both at one go. */
#include "two.h"

MUTEX(m);
static int host = 1, port = 1;
static int used[2];

static void one(void)
{
	BEGIN("connect");
	LOCK(m);
	used[0] = host;
	used[1] = port;
	UNLOCK(m);
	END();
}

static void two(void)
{
	LOCK(m);
	host = 2;
	port = 2;
	UNLOCK(m);
}
