/*
 * A deadlock that flew: the Remote Agent of the spacecraft Deep Space 1, as K. Havelund tells of it in
 * "Using Runtime Analysis to Guide Model Checking of Java Programs" (SPIN 2000), here in C.
 *
 * The executive and the planner wait for each other's events.  An event has a counter, and who has
 * seen all of them waits for the next.  But he looks at the counter before he takes the lock: an event
 * that comes in between is signalled to nobody, and he waits for ever, as does the other one then.
 *
 * Around the two there is an environment: threads in pairs, each pair with an object of its own, which
 * have nothing to do with it.  They are what a search of all schedules gets lost in.
 *
 *	spacecraft [THREADS [VALUES [ROUNDS]]] [fixed] [early]
 *
 * THREADS	of the environment, 40 unless told otherwise, at most 100
 * VALUES	that each of them stores, 10
 * ROUNDS	of planner and executive, 2
 * fixed	the counter is looked at under the lock
 * early	planner and executive are made before the environment, not after it
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MOST 100

struct event {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int count; /* of the times that it was signalled, modulo 3 */
};

static struct event event1 = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
static struct event event2 = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };

static struct object {
	pthread_mutex_t lock;
	int value; /* guarded by lock */
} objects[THREADS_MOST / 2];

static int values = 10, rounds = 2;
static bool fixed;

/* ---- events ---- */

static void wait_for_event(struct event *e)
{
	pthread_mutex_lock(&e->lock);
	pthread_cond_wait(&e->changed, &e->lock);
	pthread_mutex_unlock(&e->lock);
}

static void signal_event(struct event *e)
{
	pthread_mutex_lock(&e->lock);
	e->count = (e->count + 1) % 3;
	pthread_cond_broadcast(&e->changed);
	pthread_mutex_unlock(&e->lock);
}

/* Waits for an event that is not among those counted.  The new count. */
static int next_event(struct event *e, int count)
{
	if (!fixed) {
		if (count == e->count)
			wait_for_event(e); /* it may have come by now */
		return e->count;
	}
	pthread_mutex_lock(&e->lock);
	while (count == e->count)
		pthread_cond_wait(&e->changed, &e->lock);
	count = e->count;
	pthread_mutex_unlock(&e->lock);
	return count;
}

/* ---- threads ---- */

static void *planner(void *arg)
{
	int count = 0;

	for (int i = 0; i < rounds; i++) {
		count = next_event(&event1, count);
		/* here it would make a plan */
		signal_event(&event2);
	}
	return arg;
}

static void *executive(void *arg)
{
	int count = 0;

	for (int i = 0; i < rounds; i++) {
		signal_event(&event1);
		count = next_event(&event2, count);
		/* and here execute it */
	}
	return arg;
}

static void *environment(void *arg)
{
	int number = (int)(intptr_t)arg;
	struct object *o = &objects[number / 2];

	for (int i = 0; i < values; i++) {
		pthread_mutex_lock(&o->lock);
		o->value = 2 * i + number % 2;
		pthread_mutex_unlock(&o->lock);
	}
	return NULL;
}

/* ---- the program ---- */

static void make_tasks(pthread_t tasks[2])
{
	pthread_create(&tasks[0], NULL, planner, NULL);
	pthread_create(&tasks[1], NULL, executive, NULL);
}

static void run(int threads, bool early)
{
	pthread_t tasks[2], others[THREADS_MOST];

	if (early)
		make_tasks(tasks);
	for (int i = 0; i < threads; i++)
		pthread_create(&others[i], NULL, environment, (void *)(intptr_t)i);
	if (!early)
		make_tasks(tasks);
	for (int i = 0; i < 2; i++)
		pthread_join(tasks[i], NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(others[i], NULL);
}

int main(int argc, char **argv)
{
	int threads = 40, *const numbers[] = { &threads, &values, &rounds };
	bool early = false;

	for (int i = 1, n = 0; i < argc; i++) {
		if (strcmp(argv[i], "fixed") == 0)
			fixed = true;
		else if (strcmp(argv[i], "early") == 0)
			early = true;
		else if (n < 3)
			*numbers[n++] = atoi(argv[i]);
	}
	if (threads < 0 || threads > THREADS_MOST) {
		fprintf(stderr, "spacecraft: at most %d threads\n", THREADS_MOST);
		return 2;
	}
	for (int i = 0; i < THREADS_MOST / 2; i++)
		pthread_mutex_init(&objects[i].lock, NULL);
	run(threads, early);
	return 0;
}
