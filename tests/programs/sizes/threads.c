/*
 * threads N [all | grow [kill]]: N threads that do little, one after the other or all there at once;
 * grow: each writes more than a small slot takes; kill: the last one then kills the program.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_here;
static bool at_once, grow;
static long count, many[MOST];

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	count++;
	for (long i = 0; grow && i < MOST; i++)
		many[i * 797 % MOST] += i ^ count;
	if (arg != NULL)
		raise(SIGKILL);
	pthread_mutex_unlock(&lock);
	if (at_once)
		pthread_barrier_wait(&all_here);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned n = (unsigned)atoi(argv[1]);
	pthread_t *t = calloc(n, sizeof(*t));
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	at_once = argc > 2 && strcmp(argv[2], "all") == 0;
	grow = argc > 2 && strcmp(argv[2], "grow") == 0;
	pthread_barrier_init(&all_here, NULL, n + 1);
	for (unsigned i = 0; i < n; i++) {
		bool dies = argc > 3 && i + 1 == n;

		if (pthread_create(&t[i], &small, work, dies ? &lock : NULL) != 0)
			return 2;
		if (!at_once)
			pthread_join(t[i], NULL);
	}
	if (at_once)
		pthread_barrier_wait(&all_here);
	for (unsigned i = 0; at_once && i < n; i++)
		pthread_join(t[i], NULL);
	free(t);
	return 0;
}
