/* Scenario 18: nested locks. */
// races: none
#include <pthread.h>

#include "nap.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
int x, y;

static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&n);
	x++;
	y++;
	pthread_mutex_unlock(&n);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *second(void *arg)
{
	nap(1);
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&n);
	x++;
	y++;
	pthread_mutex_unlock(&n);
	pthread_mutex_unlock(&m);
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
