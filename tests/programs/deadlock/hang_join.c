/* The recorded run ends in a join of a thread that waits for a lock of who joins it. */
// hangs
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *child(void *arg)
{
	order_at(0);
	pthread_mutex_lock(&m); // join-holding-lock m
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, child, NULL);
	order_at(1);
	pthread_join(t, NULL); // join-holding-lock m
	pthread_mutex_unlock(&m);
	return 0;
}
