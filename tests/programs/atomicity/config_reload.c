/* Asks for the host and for the port, each under the lock, while both are changed. */
#include "two.h"

MUTEX(m);
static int host = 1, port = 1;
static int used[2];

static int get(const int *what)
{
	int v;

	LOCK(m);
	v = *what; // split connect
	UNLOCK(m);
	return v;
}

static void one(void)
{
	BEGIN("connect");
	used[0] = get(&host);
	used[1] = get(&port);
	END();
}

static void two(void)
{
	LOCK(m);
	host = 2; // split connect
	port = 2; // split connect
	UNLOCK(m);
}
