/* One thread takes a lock and another lets go of it: whoever waits for it waits for neither. */
// deadlock none
#include <pthread.h>
#include <semaphore.h>

#include "../order.h"

static pthread_mutex_t baton = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static sem_t taken;

static void *taker(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&baton);
	sem_post(&taken);
	pthread_mutex_lock(&other);
	pthread_mutex_unlock(&other);
	return arg;
}

static void *giver(void *arg)
{
	sem_wait(&taken);
	pthread_mutex_unlock(&baton);
	return arg;
}

static void *both(void *arg)
{
	pthread_mutex_lock(&other);
	pthread_mutex_lock(&baton);
	pthread_mutex_unlock(&baton);
	pthread_mutex_unlock(&other);
	order_at(0);
	return arg;
}

int main(void)
{
	void *(*const parts[])(void *) = { taker, giver, both };
	pthread_t t[3];

	sem_init(&taken, 0, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, parts[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
