/*
 * Blocks that one thread has read and released are given to another thread, and nothing but the
 * allocator orders the two: what is read of a block was written in its own life.  In the second half all
 * threads release before any allocates.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 40
#define TURNS 6
#define BYTES 72

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;
static char *letter[THREADS];
static _Thread_local int sum;

static char *written(void)
{
	char *p = calloc(1, BYTES);

	for (int i = 0; i < BYTES; i++)
		p[i] = (char)(i + 1);
	return p;
}

static void put(long to, char *p)
{
	char *old;

	pthread_mutex_lock(&lock);
	old = letter[to];
	letter[to] = p;
	pthread_mutex_unlock(&lock);
	free(old);
}

static void read_one(long of)
{
	char *p;

	pthread_mutex_lock(&lock);
	p = letter[of];
	letter[of] = NULL;
	pthread_mutex_unlock(&lock);
	for (int i = 0; p != NULL && i < BYTES; i++)
		sum += p[i];
	free(p);
}

static void *worker(void *arg)
{
	long me = (long)arg;

	for (int i = 0; i < TURNS; i++) {
		put((me + 1) % THREADS, written());
		usleep(1000);
		read_one(me);
	}
	pthread_barrier_wait(&all);
	for (int i = 0; i < TURNS; i++) {
		put((me + 1) % THREADS, written());
		pthread_barrier_wait(&all);
		read_one(me);
		usleep(20000);
	}
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	pthread_barrier_init(&all, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, worker, (void *)i);
	for (long i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
