/*
 * Philosophers, who dine one after the other in the recorded run.
 *
 * WAITER: nobody reaches for a fork without the waiter's leave.  LEFT: the last one takes the
 * other fork first.  Each of the two is enough.
 */
// bug: -DSEATS=2
// bug: -DSEATS=3
// bug: -DSEATS=4
// bug: -DSEATS=5
// bug: -DSEATS=6
// bug: -DSEATS=7
// bug: -DSEATS=12
// bug: -DSEATS=40
// safe: -DSEATS=2 -DWAITER
// safe: -DSEATS=3 -DWAITER
// safe: -DSEATS=4 -DWAITER
// safe: -DSEATS=5 -DWAITER
// safe: -DSEATS=6 -DWAITER
// safe: -DSEATS=7 -DWAITER
// safe: -DSEATS=40 -DWAITER
// safe: -DSEATS=2 -DLEFT
// safe: -DSEATS=5 -DLEFT
// safe: -DSEATS=7 -DLEFT
// safe: -DSEATS=40 -DLEFT
#include <pthread.h>
#include <stdint.h>

#include "../order.h"

static pthread_mutex_t forks[SEATS];
#ifdef WAITER
static pthread_mutex_t waiter = PTHREAD_MUTEX_INITIALIZER;
#endif

static void dine(int seat)
{
	int one = seat, other = (seat + 1) % SEATS;

#ifdef LEFT
	if (seat == SEATS - 1) {
		one = 0;
		other = seat;
	}
#endif
#ifdef WAITER
	pthread_mutex_lock(&waiter);
#endif
	pthread_mutex_lock(&forks[one]);
	pthread_mutex_lock(&forks[other]); // deadlock table xSEATS
#ifdef WAITER
	pthread_mutex_unlock(&waiter);
#endif
	pthread_mutex_unlock(&forks[other]);
	pthread_mutex_unlock(&forks[one]);
}

static void *philosopher(void *arg)
{
	int seat = (int)(intptr_t)arg;

	order_see(seat);
	dine(seat);
	order_at(seat);
	return NULL;
}

int main(void)
{
	pthread_t t[SEATS];

	for (int i = 0; i < SEATS; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (intptr_t i = 0; i < SEATS; i++)
		pthread_create(&t[i], NULL, philosopher, (void *)i);
	for (int i = 0; i < SEATS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
