/* Tickets are drawn by a read and a write: two may be the same, and nobody is served at the end. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static pthread_cond_t c = COND;
static atomic_int next;
static int serving;

static int draw(void)
{
	int mine;

	if (fixed)
		return atomic_fetch_add(&next, 1);
	mine = atomic_load(&next);
	atomic_store(&next, mine + 1);
	return mine;
}

static void *customer(void *arg)
{
	int mine = draw();

	LOCK(m);
	while (serving != mine)
		WAIT(c, m);
	serving++;
	pthread_cond_broadcast(&c);
	UNLOCK(m);
	return arg;
}

int main(void)
{
	RUN(customer, customer);
	return 0;
}
