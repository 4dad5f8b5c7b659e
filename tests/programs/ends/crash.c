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
int *nowhere;

static void *worker(void *arg)
{
	shared = 1;
	for (int i = 0; i < 3; i++)
		sum += shared; /* dropped reads: what was seen must be settled before it ends */
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
