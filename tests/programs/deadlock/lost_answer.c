/* Whoever asks for an answer does so before it locks: the answer may come first. */
#include <pthread.h>
#include <semaphore.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t asked;

static void *first(void *arg)
{
	sem_post(&asked);
	pthread_mutex_lock(&m);
	order_at(0);
	pthread_cond_wait(&c, &m); // lost-wakeup answer
	pthread_mutex_unlock(&m);
	return arg;
}

static void *second(void *arg)
{
	sem_wait(&asked);
	order_at(1);
	pthread_mutex_lock(&m);
	pthread_cond_signal(&c); // lost-wakeup answer
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
