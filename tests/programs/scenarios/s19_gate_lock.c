/* Scenario 19: gate lock. */
// races: none
#include <pthread.h>

#include "nap.h"

static pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
int x;

static void *first(void *arg)
{
	pthread_mutex_lock(&g);
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&g);
	return arg;
}

static void *second(void *arg)
{
	nap(1);
	pthread_mutex_lock(&g);
	pthread_mutex_lock(&n);
	x++;
	pthread_mutex_unlock(&n);
	pthread_mutex_unlock(&g);
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
