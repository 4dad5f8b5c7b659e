/* The parent joins its child while holding a lock that the child takes. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int results; /* guarded by m */

static void *child(void *arg)
{
	pthread_mutex_lock(&m); // join-holding-lock m
	results++;
	pthread_mutex_unlock(&m);
	order_at(0);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	order_at(1);
	pthread_mutex_lock(&m);
	results++;
	pthread_join(t, NULL); // join-holding-lock m
	pthread_mutex_unlock(&m);
	return results != 2;
}
