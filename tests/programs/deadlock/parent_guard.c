/* The parent holds a gate for its child, from before it starts it until it has joined it. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *child(void *arg)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

static void *other(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&gate);
	return arg;
}

// deadlock none
int main(void)
{
	pthread_t t, u;

	pthread_create(&u, NULL, other, NULL);
	pthread_mutex_lock(&gate);
	pthread_create(&t, NULL, child, NULL);
	pthread_join(t, NULL);
	pthread_mutex_unlock(&gate);
	order_at(0);
	pthread_join(u, NULL);
	return 0;
}
