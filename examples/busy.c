/*
 * Four threads that add to a total under a lock, a million times each: more events than anyone wants
 * to keep, for `--keep' in doc/LIVE.md.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *work(void *arg)
{
	for (long i = 0; i < 1000 * 1000; i++) {
		pthread_mutex_lock(&lock);
		total += i;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("total %ld\n", total);
	return 0;
}
