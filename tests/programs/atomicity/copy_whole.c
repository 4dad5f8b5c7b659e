/* Copies it under the lock at one go. */
#include "two.h"

MUTEX(m);
static struct {
	int x, y;
} point;
static int x, y;

static void one(void)
{
	BEGIN("copy");
	LOCK(m);
	x = point.x;
	y = point.y;
	UNLOCK(m);
	END();
}

static void two(void)
{
	LOCK(m);
	point.x = 3;
	point.y = 4;
	UNLOCK(m);
}
