/*
 * Threads that do nothing but count under a lock, N rounds each, with a race in the first round, one
 * in the middle, and one in the last: more events than a window holds.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t meet;
static long rounds, total, early, middle, late;

static void *work(void *arg)
{
	early++;
	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		total++;
		pthread_mutex_unlock(&lock);
		if (i == rounds / 2) {
			pthread_barrier_wait(&meet);
			middle++;
			pthread_barrier_wait(&meet);
		}
	}
	pthread_barrier_wait(&meet);
	late++;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	rounds = argc > 1 ? atol(argv[1]) : 1000;
	pthread_barrier_init(&meet, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return total == 2 * rounds ? 0 : 3;
}
