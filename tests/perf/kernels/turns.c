/*
 * turns THREADS EVENTS [alternate]: threads count together, about so many recorded events in all; at their
 * ends they race.  Alternating, each round is another thread's.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 1000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t turn[MOST];
static long total;
static int threads, rounds, alternate;
static int last;

static void *count(void *arg)
{
	long me = (long)arg;

	for (int i = 0; i < rounds; i++) {
		if (alternate)
			sem_wait(&turn[me]);
		pthread_mutex_lock(&lock);
		if (total >= 0)
			total = total + me;
		pthread_mutex_unlock(&lock);
		if (alternate)
			sem_post(&turn[(me + 1) % threads]);
	}
	last = (int)me;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[MOST];

	threads = argc > 2 ? atoi(argv[1]) : 0;
	if (threads < 1 || threads > MOST)
		return 2;
	alternate = argc > 3;
	rounds = atoi(argv[2]) / threads / (alternate ? 7 : 5);
	for (int i = 0; i < threads; i++)
		sem_init(&turn[i], 0, i == 0);
	for (long i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, count, (void *)i);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", total);
	return 0;
}
