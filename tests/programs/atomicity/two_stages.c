/* Writes two variables, each under its lock; another writes both as well. */
#include "two.h"

MUTEX(m);
MUTEX(n);
static int width, height;

static void one(void)
{
	BEGIN("resize");
	LOCK(m);
	width = 1; // split size
	UNLOCK(m);
	LOCK(n);
	height = 1; // split size
	UNLOCK(n);
	END();
}

static void two(void)
{
	LOCK(m);
	width = 2; // split size
	UNLOCK(m);
	LOCK(n);
	height = 2; // split size
	UNLOCK(n);
}
