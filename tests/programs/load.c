/* Every kind of waiting at once, under contention: no waiter wakes without a cause. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#define ROUNDS 1000
#define ROOM 4

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t b;
static sem_t s;
static int buffer[ROOM], used;
static long sum;

static void *producer(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&m);
		while (used == ROOM)
			pthread_cond_wait(&emptied, &m);
		buffer[used++] = i;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&m);
		if (i % 50 != 0)
			continue;
		pthread_rwlock_rdlock(&rw);
		pthread_rwlock_unlock(&rw);
		sem_post(&s);
		pthread_barrier_wait(&b);
	}
	return arg;
}

static void *consumer(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&m);
		while (used == 0)
			pthread_cond_wait(&filled, &m);
		sum += buffer[--used];
		pthread_cond_signal(&emptied);
		pthread_mutex_unlock(&m);
		if (i % 50 != 0)
			continue;
		pthread_rwlock_wrlock(&rw);
		pthread_rwlock_unlock(&rw);
		sem_wait(&s);
	}
	return arg;
}
// each T2: wake by
// each T3: wake by
// each T4: wake by
// each T5: wake by

int main(void)
{
	void *(*run[4])(void *) = { producer, producer, consumer, consumer };
	pthread_t t[4];

	sem_init(&s, 0, 0);
	pthread_barrier_init(&b, NULL, 2);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, run[i], NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", sum);
	return 0;
}
