// A try that fails tells that somebody has the lock, or the last of the semaphore.
//spec shared int a;
//spec shared int seen;
//spec property held: ptltl start(seen == 1) -> once a == 1;
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

int a, seen;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t last;

static void *hold(void *arg)
{
	a = 1;
	pthread_mutex_lock(&m);
	sem_wait(&last);
	usleep(10000);
	pthread_mutex_unlock(&m);
	a = 2;
	return arg;
}

static void *ask(void *arg)
{
	usleep(3000);
	if (pthread_mutex_trylock(&m) != 0)
		seen = 1;
	else
		pthread_mutex_unlock(&m);
	if (sem_trywait(&last) != 0)
		seen = 1;
	else
		sem_post(&last);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	sem_init(&last, 0, 1);
	pthread_create(&t[0], NULL, hold, NULL);
	pthread_create(&t[1], NULL, ask, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
