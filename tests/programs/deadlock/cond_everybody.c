/* A broadcast starts several threads, each of which tests. */
// deadlock none
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int go, started;

static void *runner(void *arg)
{
	order_see((int)(long)arg);
	pthread_mutex_lock(&m);
	order_at((int)(long)arg);
	while (!go)
		pthread_cond_wait(&c, &m);
	started++;
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, runner, (void *)i);
	order_at(3);
	pthread_mutex_lock(&m);
	go = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return started != 3;
}
