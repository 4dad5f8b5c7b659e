/* Scenario 20: three, locked. */
// races: none
#include <pthread.h>

#include "nap.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *second(void *arg)
{
	nap(1);
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *third(void *arg)
{
	nap(2);
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t, u, v;

	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_create(&v, NULL, third, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	pthread_join(v, NULL);
	return 0;
}
