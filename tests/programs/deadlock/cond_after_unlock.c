/* Changed with the mutex, signalled without: right, though the signal may come late. */
// deadlock none
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int steps;

static void *first(void *arg)
{
	for (int i = 1; i <= 3; i++) {
		pthread_mutex_lock(&m);
		if (i == 1)
			order_at(0);
		while (steps < i)
			pthread_cond_wait(&c, &m);
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&m);
		steps++;
		pthread_mutex_unlock(&m);
		pthread_cond_signal(&c);
	}
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
