/* Scenario 10: a read behind the section. */
// races: x
#include <pthread.h>

#include "nap.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void *first(void *arg)
{
	nap(2);
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *second(void *arg)
{
	pthread_mutex_lock(&m);
	look(x);
	pthread_mutex_unlock(&m);
	look(x);
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
