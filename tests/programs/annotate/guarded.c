/* A counter behind a lock that nobody sees: no race, but only the annotations say so. */
#include <pthread.h>
#include <stdio.h>

#include "../order.h"
#include "family.h"

static struct spin guard;
static long counter, spare;

static void *work(void *arg)
{
	long seen;

	order_at(1);
	lock(&guard);
	counter++;
	unlock(&guard);
	lock_read(&guard);
	seen = spare;
	unlock_read(&guard);
	return seen ? NULL : arg;
}

int main(void)
{
	pthread_t t;

	lock(&guard);
	spare = 0;
	unlock(&guard);
	pthread_create(&t, NULL, work, NULL);
	lock(&guard);
	counter++;
	spare++;
	unlock(&guard);
	order_at(0);
	pthread_join(t, NULL);
	printf("%ld\n", counter);
	return 0;
}
