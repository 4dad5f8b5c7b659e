/* A server that executes itself anew, after it had threads; then one that is not there, then true. */
// open
// note: became another one by exec of
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *worker(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&lock);
		total++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(int argc, char **argv)
{
	char *again[] = { argv[0], "again", NULL };
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (total != 2000)
		return 1;
	if (argc == 1) {
		execv("/proc/self/exe", again);
		return 2;
	}
	execlp("no-such-program", "no-such-program", (char *)0);
	execl("/bin/true", "true", (char *)0);
	return 3;
}
