/* All locks are taken by one function: two deadlocks, told apart by who called it. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER, d = PTHREAD_MUTEX_INITIALIZER;

// through take
static void take(pthread_mutex_t *m)
{
	pthread_mutex_lock(m);
}

static void give(pthread_mutex_t *m)
{
	pthread_mutex_unlock(m);
}

static void *first(void *arg)
{
	take(&a);
	take(&b); // deadlock ab
	give(&b);
	give(&a);
	take(&c);
	take(&d); // deadlock cd
	give(&d);
	give(&c);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	take(&b);
	take(&a); // deadlock ab
	give(&a);
	give(&b);
	take(&d);
	take(&c); // deadlock cd
	give(&c);
	give(&d);
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
