/* Two threads wait for an event each; two events in a row are one, unless they are counted. */
#include <sys/eventfd.h>

#include "explore.h"

static int events;

static void *waits(void *arg)
{
	eventfd_t n;

	if (eventfd_read(events, &n) != 0)
		abort();
	return arg;
}

static void *tells(void *arg)
{
	if (eventfd_write(events, 1) != 0 || eventfd_write(events, 1) != 0)
		abort();
	return arg;
}

int main(void)
{
	events = eventfd(0, fixed ? EFD_SEMAPHORE : 0);
	RUN(waits, waits, tells);
	return 0;
}
