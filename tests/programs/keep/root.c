/* ROUNDS of two threads under a lock, which go on together.  One of them begins in a library that is
 * not recorded. */
#include <foresee.h>
#include <pthread.h>
#include <stdlib.h>

int lib_start(pthread_t *t, void (*f)(void));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t together;
static long shared, rounds;

static void loop(const char *name)
{
	foresee_thread_name(name);
	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		shared += i;
		pthread_mutex_unlock(&lock);
		if (i % 1000 == 0)
			pthread_barrier_wait(&together);
	}
}

static void called(void)
{
	loop("unseen");
}

static void *work(void *arg)
{
	loop("seen");
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	rounds = argc > 1 ? atol(argv[1]) : 1000;
	pthread_barrier_init(&together, NULL, 2);
	if (lib_start(&t[0], called) != 0 || pthread_create(&t[1], NULL, work, NULL) != 0)
		return 2;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
