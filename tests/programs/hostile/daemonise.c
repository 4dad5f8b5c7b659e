/* daemon(): the child is the program, and what it does afterwards is what somebody wants to see. */
// note: the recording went on with the child
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int before, after;

static void *worker(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&lock);
		after += *(int *)arg;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void by_hand(void)
{
	for (int i = 0; i < 2; i++) {
		if (fork() != 0)
			_exit(0);
		setsid();
	}
	fclose(stdout);
	close(0);
	close(2);
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	int one = 1;

	for (int i = 0; i < 100; i++)
		before += i;
	if (argc > 1 && strcmp(argv[1], "twice") == 0)
		by_hand();
	else if (daemon(1, 0) != 0)
		return 1;
	one += before != 4950;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, &one);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (getenv("HANGUP")) {
		alarm(60); /* nobody may find us for ever, should the test fail */
		pause();
	}
	return after == 2000 ? 0 : 3;
}
