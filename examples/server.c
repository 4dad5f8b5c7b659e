/*
 * A server whose threads count errors without a lock, for doc/LIVE.md: long enough to be told of the
 * race while it runs.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int requests, errors;

static void *serve(void *arg)
{
	for (int i = 0; i < 50; i++) {
		usleep(20 * 1000); /* the next request comes in */
		if (i % 10 == 9)
			errors++; /* no lock held */
		pthread_mutex_lock(&lock);
		requests++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t[4];

	signal(SIGHUP, SIG_IGN); /* a server of more words would read its configuration again */
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, serve, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%d requests\n", requests);
	return 0;
}
