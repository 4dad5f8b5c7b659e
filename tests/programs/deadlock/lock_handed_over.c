/* A lock made of a semaphore is taken by one thread and given back by another that it was
 * handed to; what is locked inside has one order for each side of the hand-over. */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static sem_t owned, handed;
static int jobs; /* belongs to who has the lock */

// deadlock none
static void *producer(void *arg)
{
	for (int i = 0; i < 3; i++) {
		sem_wait(&owned);
		pthread_mutex_lock(&a);
		pthread_mutex_lock(&b);
		jobs++;
		pthread_mutex_unlock(&b);
		pthread_mutex_unlock(&a);
		sem_post(&handed); /* still taken: the consumer gives it back */
	}
	return arg;
}

static void *consumer(void *arg)
{
	for (int i = 0; i < 3; i++) {
		sem_wait(&handed);
		pthread_mutex_lock(&b);
		pthread_mutex_lock(&a);
		jobs--;
		pthread_mutex_unlock(&a);
		pthread_mutex_unlock(&b);
		sem_post(&owned);
	}
	return arg;
}

int main(void)
{
	pthread_t t, u;

	sem_init(&owned, 0, 1);
	sem_init(&handed, 0, 0);
	pthread_create(&t, NULL, producer, NULL);
	pthread_create(&u, NULL, consumer, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
