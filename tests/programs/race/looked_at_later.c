/* The flag is read under the lock; but before it decides anything, the data is touched. */
#include <pthread.h>
#include <stdio.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ready, early, late;

static void *sets(void *arg)
{
	early = 1; // race early
	late = 1;
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_mutex_unlock(&m);
	order_at(0);
	return arg;
}

static void *looks(void *arg)
{
	int seen;

	order_see(1);
	pthread_mutex_lock(&m);
	seen = ready;
	pthread_mutex_unlock(&m);
	early = 2; // race early
	if (seen)
		late = 2;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, sets, NULL);
	pthread_create(&b, NULL, looks, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d\n", early, late);
	return 0;
}
