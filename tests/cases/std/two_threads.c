/* Two threads, a lock, a condition and some plain memory: something of everything. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int total, done;

static __attribute__((noinline)) void add(const int *part)
{
	total += *part;
	done++;
}

static void *worker(void *arg)
{
	int *part = arg;

	pthread_mutex_lock(&lock);
	add(part);
	pthread_cond_signal(&ready);
	pthread_mutex_unlock(&lock);
	free(part);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++) {
		int *part = malloc(sizeof(*part));

		*part = i + 1;
		pthread_create(&t[i], NULL, worker, part);
	}
	pthread_mutex_lock(&lock);
	while (done < 2)
		pthread_cond_wait(&ready, &lock);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("total %d\n", total);
	if (argc > 2)
		abort();
	return argc > 1 ? atoi(argv[1]) : 0;
}
