/* Scenario 13: through a third thread. */
// races: z
#include <pthread.h>

#include "nap.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
int z;

static void *first(void *arg)
{
	z = 1;
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *second(void *arg)
{
	nap(2);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	return arg;
}

static void *third(void *arg)
{
	nap(4);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	z = 1;
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
