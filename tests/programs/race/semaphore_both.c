/* Two posts and two waits: both are needed, in any order. */
#include <pthread.h>
#include <semaphore.h>

#include "../order.h"

static sem_t s;
int x, y;

static void *first(void *arg)
{
	x = 1;
	sem_post(&s);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_see(1);
	y = 1;
	sem_post(&s);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	sem_init(&s, 0, 0);
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	sem_wait(&s);
	sem_wait(&s);
	x = 2;
	y = 2;
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
