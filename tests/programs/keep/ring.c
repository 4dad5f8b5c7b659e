/*
 * ROUNDS of two threads under a lock; near the end, with `racy', they touch something without it.  Before
 * that they wait for one another: on a busy machine one may be far behind, and what the other did would not
 * be kept.
 */
#include <foresee.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long shared, late;
static pthread_barrier_t near_the_end;
static long rounds, racy;

static void *work(void *arg)
{
	long me = (long)arg;

	foresee_thread_name(me ? "second" : "first");
	for (long i = 0; i < rounds; i++) {
		if (i == rounds - 200)
			pthread_barrier_wait(&near_the_end);
		pthread_mutex_lock(&lock);
		shared += i;
		pthread_mutex_unlock(&lock);
		if (racy && i > rounds - 100)
			late += me;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	rounds = argc > 1 ? atol(argv[1]) : 1000;
	racy = argc > 2;
	pthread_barrier_init(&near_the_end, NULL, 2);
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (long i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
