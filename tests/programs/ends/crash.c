/* Ends badly, after a race in which nobody waits for anybody: crash segv|abort|status|kill.  The two
 * threads meet at a barrier that foresee does not see. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "order.h"

static const char *what;
static int shared, sum;
static volatile int limit = 2;
int *nowhere;

static void *worker(void *arg)
{
	/* Reads that decide something, and are recorded once: unless it is told that the others saw the
	 * same, nothing after them can be relied on. */
	for (int i = 0; i < 3; i++)
		if (limit > i)
			sum++;
	shared = 1;
	order_at(0);
	order_see(2);
	if (strcmp(what, "segv") == 0)
		*nowhere = 1;
	if (strcmp(what, "abort") == 0)
		abort();
	if (strcmp(what, "kill") == 0)
		kill(getpid(), SIGKILL);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	what = argc > 1 ? argv[1] : "";
	pthread_create(&t, NULL, worker, NULL);
	order_see(1);
	shared = 2;
	order_at(1);
	pthread_join(t, NULL);
	return strcmp(what, "status") == 0 ? 3 : 0;
}
