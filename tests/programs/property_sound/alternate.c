// Two semaphores let the threads take turns.
//spec shared int a;
//spec shared int b;
//spec property turns: ptltl a - 1 <= b && b <= a;
#include <pthread.h>
#include <semaphore.h>

int a, b;
static sem_t ping, pong;

static void *first(void *arg)
{
	for (int i = 0; i < 4; i++) {
		sem_wait(&pong);
		a++;
		sem_post(&ping);
	}
	return arg;
}

static void *second(void *arg)
{
	for (int i = 0; i < 4; i++) {
		sem_wait(&ping);
		b++;
		sem_post(&pong);
	}
	return arg;
}

int main(void)
{
	pthread_t t[2];

	sem_init(&ping, 0, 0);
	sem_init(&pong, 0, 1);
	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
