/*
 * What the programs of this directory have in common.  Each has one bug, and none when it is compiled
 * with -DFIXED; t9100-explore.sh says how the bug shows itself.
 */
#ifndef PROGRAMS_EXPLORE_H
#define PROGRAMS_EXPLORE_H

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef FIXED
enum { fixed = 1 };
#else
enum { fixed = 0 };
#endif

#define MUTEX PTHREAD_MUTEX_INITIALIZER
#define COND PTHREAD_COND_INITIALIZER
#define LOCK(m) pthread_mutex_lock(&(m))
#define UNLOCK(m) pthread_mutex_unlock(&(m))
#define WAIT(c, m) pthread_cond_wait(&(c), &(m))

#define MOST 4
#define NUMBER(arg) ((int)(intptr_t)(arg))

/* Runs a thread for each, which is given its number, and waits until all have ended. */
#define RUN(...) run_all((void *(*const[])(void *)){ __VA_ARGS__, NULL })

static inline void run_all(void *(*const bodies[])(void *))
{
	pthread_t t[MOST];
	int n = 0;

	for (; bodies[n]; n++)
		pthread_create(&t[n], NULL, bodies[n], (void *)(intptr_t)n);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

#endif /* PROGRAMS_EXPLORE_H */
