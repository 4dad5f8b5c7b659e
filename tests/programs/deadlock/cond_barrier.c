/* A barrier made of a condition: the generation tells rounds apart. */
// deadlock none
#include <pthread.h>

#define THREADS 3

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int waiting;
unsigned generation;

static void barrier(void)
{
	pthread_mutex_lock(&m);
	if (++waiting == THREADS) {
		waiting = 0;
		generation++;
		pthread_cond_broadcast(&c);
	} else {
		unsigned mine = generation;

		while (generation == mine)
			pthread_cond_wait(&c, &m);
	}
	pthread_mutex_unlock(&m);
}

static void *worker(void *arg)
{
	for (int i = 0; i < 3; i++)
		barrier();
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
