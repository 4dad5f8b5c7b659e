/*
 * Nested monitors: whoever waits for the queue lets go of its mutex, but keeps the table, which who
 * fills the queue needs first.  All take the locks in the same order.
 */
// bug:
// safe: -DKEEP=0
#include <pthread.h>

#include "../order.h"

#ifndef KEEP
#define KEEP 1 /* the table while waiting */
#endif

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int items, rows;

static void *first(void *arg)
{
	order_see(1);
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&table);
	if (!KEEP)
		pthread_mutex_unlock(&table);
	order_me();
	while (items == 0)
		pthread_cond_wait(&changed, &m); // wait-holding-lock table
	if (KEEP)
		pthread_mutex_unlock(&table);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *second(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&table); // wait-holding-lock table
	rows++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&table);
	pthread_mutex_unlock(&m);
	order_at(0);
	order_asleep();
	pthread_mutex_lock(&m);
	items++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&m);
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
