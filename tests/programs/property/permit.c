// counts lattice-weak: cuts=8 runs=3 violating_runs=1 dead_ends=0
/*
 * The permit may be taken back between its test and the landing.  That it is taken back before the
 * test, so that the other branch is taken, happens in runs too, but not in those that this
 * recording proves possible: `unchanged' is not to be reported.
 */
#include <pthread.h>

#include "../order.h"

volatile int permit, landing;

static int check_tower(void)
{
	return 1;
}

static void *pilot(void *arg)
{
	order_at(1);
	permit = check_tower();
	if (permit) {
		landing = 1; // property permitted
		order_at(2);
	} else {
		landing = 0;
	}
	return arg;
}

static void *tower(void *arg)
{
	permit = 0;
	order_at(0);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, pilot, NULL);
	pthread_create(&u, NULL, tower, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
