/* The wait keeps another lock, which the signaller takes too: if it is free, or after the signal. */
// deadlock none
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER;
static int ready, waiting, lines;

static void *first(void *arg)
{
	pthread_mutex_lock(&g);
	lines++;
	pthread_mutex_lock(&m);
	waiting = 1;
	while (!ready)
		pthread_cond_wait(&c, &m);
	waiting = 0;
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&g);
	return arg;
}

static void *second(void *arg)
{
	if (pthread_mutex_trylock(&g) == 0) {
		lines++;
		pthread_mutex_unlock(&g);
	}
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&g);
	lines += waiting;
	pthread_mutex_unlock(&g);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
