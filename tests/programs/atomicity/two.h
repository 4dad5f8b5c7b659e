/*
 * Two threads, one(), then two() when the first has ended: nothing comes between in the recorded run.
 * A program that has an order of its own says so by #define OWN_ORDER.
 */
#include <foresee.h>
#include <pthread.h>
#include <stdio.h>

#include "../order.h"

#define BEGIN FORESEE_ATOMIC_BEGIN
#define END FORESEE_ATOMIC_END
#define LOCK(m) pthread_mutex_lock(&(m))
#define UNLOCK(m) pthread_mutex_unlock(&(m))
#define MUTEX(m) static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER

static void one(void);
static void two(void);

static void *run_one(void *arg)
{
	one();
#ifndef OWN_ORDER
	order_at(0);
#endif
	return arg;
}

static void *run_two(void *arg)
{
#ifndef OWN_ORDER
	order_see(1);
#endif
	two();
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, run_one, NULL);
	pthread_create(&b, NULL, run_two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
