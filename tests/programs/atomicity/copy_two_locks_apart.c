/* Copies a struct, each member under the lock that guards it; another writes both under both. */
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
	x = point.x; // split copy
	UNLOCK(mx);
	LOCK(my);
	y = point.y; // split copy
	UNLOCK(my);
	END();
}

static void two(void)
{
	LOCK(mx);
	LOCK(my);
	point.x = 3; // split copy
	point.y = 4; // split copy
	UNLOCK(my);
	UNLOCK(mx);
}
