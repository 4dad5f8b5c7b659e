/* By convention who takes both locks has the baton: a semaphore, which no lock analysis knows. */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static sem_t baton;

// deadlock none
static void both(pthread_mutex_t *p, pthread_mutex_t *q)
{
	sem_wait(&baton);
	pthread_mutex_lock(p);
	pthread_mutex_lock(q);
	pthread_mutex_unlock(q);
	pthread_mutex_unlock(p);
	sem_post(&baton);
}

static void *first(void *arg)
{
	for (int i = 0; i < 3; i++)
		both(&a, &b);
	return arg;
}

static void *second(void *arg)
{
	for (int i = 0; i < 3; i++)
		both(&b, &a);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	sem_init(&baton, 0, 1);
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
