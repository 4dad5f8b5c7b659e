/* Scenario 08: statistics. */
// races: t
#include <pthread.h>

#include "nap.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int a, b, t;

static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	a++;
	pthread_mutex_unlock(&m);
	t++;
	return arg;
}

static void *second(void *arg)
{
	nap(1);
	pthread_mutex_lock(&m);
	b++;
	pthread_mutex_unlock(&m);
	t++;
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
