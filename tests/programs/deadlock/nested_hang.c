/* Nested monitors, and the recorded run ends there: one waits with the table, which the other needs. */
// hangs
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int items;

static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&table);
	order_me();
	while (items == 0)
		pthread_cond_wait(&filled, &m); // wait-holding-lock table
	items--;
	pthread_mutex_unlock(&table);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *second(void *arg)
{
	order_asleep();
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&table); // wait-holding-lock table
	items++;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&table);
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
