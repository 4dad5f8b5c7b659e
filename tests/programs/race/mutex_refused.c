/* An unlock that is refused is nothing: what comes behind it is compared like all else. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
		       r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int x, z;

static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	x = 1;
	pthread_mutex_unlock(&m);
	assert(pthread_mutex_unlock(&m) == EPERM);
	assert(pthread_mutex_unlock(&r) == EPERM);
	z = 1; // race z
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&m);
	x = 2;
	pthread_mutex_unlock(&m);
	assert(pthread_mutex_unlock(&m) == EPERM);
	z = 2; // race z
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
