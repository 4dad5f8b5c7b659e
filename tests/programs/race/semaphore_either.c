/* Two posts and one wait: recorded after the first post, it might have taken the second one. */
#include <pthread.h>
#include <semaphore.h>

#include "../order.h"

static sem_t s;
int x;

static void *first(void *arg)
{
	x = 1; // race x
	sem_post(&s);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_see(1);
	sem_post(&s);
	order_at(1);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	sem_init(&s, 0, 0);
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	order_see(2);
	sem_wait(&s);
	x = 2; // race x
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
