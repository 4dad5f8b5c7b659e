/* The same with the second lock taken before the first is given back. */
#include "two.h"

MUTEX(mx);
MUTEX(my);
static struct {
	int x, y;
} point;
static int x, y;

static void one(void)
{
	BEGIN("copy");
	LOCK(mx);
	x = point.x;
	LOCK(my);
	UNLOCK(mx);
	y = point.y;
	UNLOCK(my);
	END();
}

static void two(void)
{
	LOCK(mx);
	LOCK(my);
	point.x = 3;
	point.y = 4;
	UNLOCK(my);
	UNLOCK(mx);
}
