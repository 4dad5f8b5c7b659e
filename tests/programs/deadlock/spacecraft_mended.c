/* The planner tests for news inside the monitor. */
// deadlock none
#include <pthread.h>

#include "../order.h"

#define ROUNDS 2

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int count;

static void *planner(void *arg)
{
	int seen = 0;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&m);
		order_at(2 * i);
		while (count == seen)
			pthread_cond_wait(&c, &m);
		seen = count;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static void *executive(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		order_at(2 * i + 1);
		pthread_mutex_lock(&m);
		count++;
		pthread_cond_broadcast(&c);
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, planner, NULL);
	pthread_create(&u, NULL, executive, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
