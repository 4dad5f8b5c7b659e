/* A lock that a thread has already: taking it once more is no request. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

// deadlock none
static void *first(void *arg)
{
	pthread_mutex_lock(&r);
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&r);
	pthread_mutex_unlock(&r);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&r);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&r);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&r);
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
