/*
 * Tiny random runs with condition waits, as text and as plain facts.
 *
 * Three threads, two locks (g may be held around m, or be taken within it), one condition that goes
 * with m, two variables.
 * Shares nothing with src/.
 */
#ifndef TESTS_WAITS_RUN_H
#define TESTS_WAITS_RUN_H

#include <stdbool.h>
#include <stdint.h>

#define WAITS_EVENTS 26
#define WAITS_THREADS 3
#define WAITS_VARS 2
#define WAITS_NONE (-1)

/* Locks: 0 is g, 1 is m.  REQ: the run ended with the thread waiting for it. */
enum waits_op { READ, WRITE, ACQ, REL, REQ, PARK, WAKE, SIGNAL, BROADCAST, WAIT };

struct waits_deed {
	enum waits_op op;
	int thread, obj;
	bool free;    /* READ: its value decides nothing */
	bool in_wait; /* ACQ, REL */
	int from;     /* READ: the write seen; WAKE: the signal; WAITS_NONE */
	int park;     /* WAKE */
};

struct waits_run {
	int n;
	struct waits_deed at[WAITS_EVENTS];
	int len[WAITS_THREADS], list[WAITS_THREADS][WAITS_EVENTS];
	char text[2048];
};

/* The same seed, the same run. */
void waits_run_make(struct waits_run *r, uint64_t seed);

#endif /* TESTS_WAITS_RUN_H */
