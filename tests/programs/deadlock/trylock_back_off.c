/* The second lock is only tried; who does not get it gives the first one back. */
#include <pthread.h>
#include <sched.h>

#include "../order.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

// deadlock none
static void *first(void *arg)
{
	pthread_mutex_lock(&a);
	order_at(0);
	order_see(2); /* the other one has failed once */
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *second(void *arg)
{
	int failures = 0;

	order_see(1);
	for (;;) {
		pthread_mutex_lock(&b);
		if (pthread_mutex_trylock(&a) == 0)
			break;
		pthread_mutex_unlock(&b);
		if (failures++ == 0)
			order_at(1);
		sched_yield();
	}
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
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
