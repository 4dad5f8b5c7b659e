/* A program that leaves with threads at work, or alone, in the way that its argument names. */
// perhaps open: a thread whose log ends where the program does has lost nothing
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static atomic_int busy;
static const char *how;

static void *endless(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		total++;
		pthread_mutex_unlock(&lock);
		atomic_fetch_add(&busy, 1);
	}
	return arg;
}

static void handler(void)
{
	pthread_mutex_lock(&lock);
	total++;
	pthread_mutex_unlock(&lock);
}

static void on_abort(int n)
{
	(void)n;
	atomic_fetch_add(&busy, 1);
	_exit(0);
}

static void leave(void)
{
	if (strcmp(how, "exit") == 0)
		exit(0);
	if (strcmp(how, "_exit") == 0)
		_exit(0);
	if (strcmp(how, "_Exit") == 0)
		_Exit(0);
	if (strcmp(how, "quick_exit") == 0)
		quick_exit(0);
	if (strcmp(how, "abort") == 0)
		abort();
}

static void *leaver(void *arg)
{
	leave();
	exit(0);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	bool alone = argc > 2 && strcmp(argv[2], "alone") == 0;

	how = argc > 1 ? argv[1] : "return";
	atexit(handler);
	at_quick_exit(handler);
	signal(SIGABRT, on_abort);
	for (int i = 0; i < 2 && !alone; i++)
		pthread_create(&t, NULL, endless, NULL);
	while (atomic_load(&busy) < 100 && !alone)
		;
	if (argc > 2 && !alone) /* by a worker, while main waits or is gone */
		pthread_create(&t, NULL, leaver, NULL);
	if (strcmp(how, "main gone") == 0)
		pthread_exit(NULL);
	if (argc > 2 && !alone)
		pthread_join(t, NULL);
	leave();
	return 0;
}
