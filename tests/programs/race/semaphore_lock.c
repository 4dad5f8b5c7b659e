/* A semaphore of one used as a lock. */
#include <pthread.h>
#include <semaphore.h>

#include "../order.h"

static sem_t s;
int x;

static void *worker(void *arg)
{
	sem_wait(&s);
	x++;
	sem_post(&s);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	sem_init(&s, 0, 1);
	pthread_create(&t, NULL, worker, NULL);
	pthread_create(&u, NULL, worker, NULL);
	order_at(0);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return x != 2;
}
