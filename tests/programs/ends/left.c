/* main ends before its threads: left WHAT.  They do nothing before the thread that ends the program sleeps,
 * in the end that waits for them. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "order.h"

#define THREADS 5

static sem_t never;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static volatile unsigned long turns;
static const char *what;

static struct start {
	bool first;
	const char *text; /* main's own, and main has returned */
} starts[THREADS];

static void *work(void *arg)
{
	const struct start *start = arg;

	if (start->first) {
		order_asleep();
		order_at(0);
	}
	order_see(1);
	if (strcmp(what, "wait") == 0)
		sem_wait(&never);
	if (strcmp(what, "lock") == 0)
		pthread_mutex_lock(&held);
	while (strcmp(what, "spin") == 0)
		turns++;
	if (strcmp(what, "exit") == 0)
		exit(9);
	if (strcmp(start->text, "as it was") != 0)
		_exit(99);
	shared++;
	return NULL;
}

/* What is still there when threads go on. */
static void handler(void)
{
	if (strcmp(what, "again") == 0)
		exit(4);
	puts("handler");
}

static void on_signal(int number)
{
	exit(number == SIGUSR1 ? 6 : 1);
}

static void *end_all(void *arg)
{
	order_me();
	exit(*(int *)arg);
}

int main(int argc, char **argv)
{
	static int other = 5;
	char text[] = "as it was";
	pthread_t t;

	what = argc > 1 ? argv[1] : "";
	atexit(handler);
	sem_init(&never, 0, 0);
	if (strcmp(what, "lock") == 0)
		pthread_mutex_lock(&held);
	for (int i = 0; i < THREADS; i++) {
		starts[i] = (struct start){ i == 0, text };
		pthread_create(&t, NULL, work, &starts[i]);
	}
	if (strcmp(what, "thread") == 0) {
		pthread_create(&t, NULL, end_all, &other);
		for (;;)
			pause();
	}
	order_me();
	if (strcmp(what, "quick") == 0)
		quick_exit(7);
	if (strcmp(what, "under") == 0)
		_exit(8);
	if (strcmp(what, "signal") == 0) {
		signal(SIGUSR1, on_signal);
		raise(SIGUSR1);
	}
	return 3;
}
