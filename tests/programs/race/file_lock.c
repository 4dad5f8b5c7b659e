/* A stream's own lock, taken by name. */
#include <pthread.h>
#include <stdio.h>

int lines;

static void *worker(void *arg)
{
	for (int i = 0; i < 3; i++) {
		flockfile(stderr);
		lines++;
		funlockfile(stderr);
	}
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, worker, NULL);
	pthread_create(&u, NULL, worker, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return lines != 6;
}
