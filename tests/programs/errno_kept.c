/* errno is the program's: no call that succeeds touches it, however much is logged. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#define MARK 7777

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t s;
static long sum;

static void nothing(void)
{
}

static void *worker(void *arg)
{
	errno = MARK;
	for (int i = 0; i < 5000; i++) { /* many chunks of the log */
		char *p = malloc(64);

		memset(p, i, 64);
		free(p);
		pthread_mutex_lock(&m);
		sum += i;
		pthread_mutex_unlock(&m);
		sem_post(&s);
		sem_wait(&s);
		pthread_once(&once, nothing);
		assert(errno == MARK);
	}
	return arg;
}

int main(void)
{
	pthread_t t[2];

	sem_init(&s, 0, 0);
	errno = MARK;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	assert(errno == MARK);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(errno == MARK);
	sem_init(&s, 0, 0);
	assert(sem_trywait(&s) == -1 && errno == EAGAIN);
	return 0;
}
