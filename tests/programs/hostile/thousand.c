/* As many threads alive at once as the argument says, or as many over the run, some at a time. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t here, go;
static int total;

static void *alive(void *arg)
{
	sem_post(&here);
	sem_wait(&go);
	pthread_mutex_lock(&lock);
	total++;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *brief(void *arg)
{
	pthread_mutex_lock(&lock);
	total++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 1000, at_once = strcmp(argv[1], "alive") == 0 ? n : 8;
	pthread_t *t = malloc((size_t)at_once * sizeof(*t));
	pthread_attr_t small;

	sem_init(&here, 0, 0);
	sem_init(&go, 0, 0);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int done = 0; done < n; done += at_once) {
		for (int i = 0; i < at_once; i++)
			if (pthread_create(&t[i], &small, at_once == n ? alive : brief, NULL) != 0)
				return 2;
		for (int i = 0; at_once == n && i < n; i++)
			sem_wait(&here);
		for (int i = 0; at_once == n && i < n; i++)
			sem_post(&go);
		for (int i = 0; i < at_once; i++)
			pthread_join(t[i], NULL);
	}
	printf("%d\n", total);
	free(t);
	return total != n;
}
