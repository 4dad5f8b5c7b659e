/* A semaphore of two is no lock. */
#include <pthread.h>
#include <semaphore.h>

#include "../order.h"

static sem_t s;
int x;

static void *worker(void *arg)
{
	sem_wait(&s);
	x++; // race x x
	sem_post(&s);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	sem_init(&s, 0, 2);
	pthread_create(&t, NULL, worker, NULL);
	pthread_create(&u, NULL, worker, NULL);
	order_at(0);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
