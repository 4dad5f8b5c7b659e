/* A counter of hits that nobody thought to lock. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int table[4];
long hits;

static void look_up(int i)
{
	pthread_mutex_lock(&m);
	table[i]++;
	pthread_mutex_unlock(&m);
	hits++; // race hits hits
}

static void *first(void *arg)
{
	look_up(1);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	look_up(2);
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
