/* The same with one more lock around both. */
#include "two.h"

MUTEX(outer);
MUTEX(m);
MUTEX(n);
static int width, height;

static void resize(int by)
{
	LOCK(outer);
	BEGIN("resize");
	LOCK(m);
	width = by;
	UNLOCK(m);
	LOCK(n);
	height = by;
	UNLOCK(n);
	END();
	UNLOCK(outer);
}

static void one(void)
{
	resize(1);
}

static void two(void)
{
	resize(2);
}
