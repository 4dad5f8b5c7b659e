/* Copies a struct, each member under the lock; another writes it whole. */
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
	x = point.x; // split copy
	UNLOCK(m);
	LOCK(m);
	y = point.y; // split copy
	UNLOCK(m);
	END();
}

static void two(void)
{
	LOCK(m);
	point.x = 3; // split copy
	point.y = 4; // split copy
	UNLOCK(m);
}
