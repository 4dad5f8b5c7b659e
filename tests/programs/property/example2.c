// counts lattice-mvc: cuts=7 runs=3 violating_runs=1
/* Two threads that compute with one another's numbers; one run of three has y ahead of z. */
#include <pthread.h>

#include "../order.h"

volatile int x = -1, y, z;

/* Nobody waits for them.  Locks have times, accesses have not: so y comes last in the trace too. */
static pthread_mutex_t late = PTHREAD_MUTEX_INITIALIZER, early = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
	int v;

	v = x;
	x = v + 1;
	order_at(0);
	order_see(2);
	v = x;
	order_at(2);
	order_at(4);
	pthread_mutex_lock(&late);
	y = v + 1;
	pthread_mutex_unlock(&late);
	return arg;
}

static void *second(void *arg)
{
	int v;

	order_at(1);
	v = x;
	z = v + 1;
	order_see(3);
	v = x;
	x = v + 1; // property interval
	pthread_mutex_lock(&early);
	pthread_mutex_unlock(&early);
	order_at(3);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
