/*
 * Every reordering of a tiny trace, straight from the definitions (doc/SEMANTICS.md 2): the oracle
 * that engines and checker are held to.
 *
 * Speed does not matter here, plainness does.  Two forms are given, and tests hold one to the
 * other: a walk over all states that a reordering can reach, and a test of a single order that
 * looks at the whole of it at once.
 */
#ifndef TESTS_ENUMERATE_H
#define TESTS_ENUMERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tiny.h"

struct enumerate_mode {
	bool strict;	 /* every read keeps its write */
	bool keep_locks; /* sections of one lock stay in observed order (sync-preserving) */
	bool values;	 /* a read may see any write of the same value */
	bool no_tests;	 /* what is compared decides by all it is */
	/* Program order, forks, joins, locks and semaphores alone: reads may see anything, signals come too
	 * early, locks be used before they are made. */
	bool no_data;
};

/* Pairs of events (i, j), i < j: bit j of row i. */
struct pairs {
	uint32_t row[TINY_EVENTS];
};

static inline bool pairs_has(const struct pairs *p, int i, int j)
{
	return i < j ? p->row[i] >> j & 1 : p->row[j] >> i & 1;
}

static inline void pairs_add(struct pairs *p, int i, int j)
{
	if (i < j)
		p->row[i] |= 1u << j;
	else
		p->row[j] |= 1u << i;
}

bool pairs_equal(const struct pairs *a, const struct pairs *b);
bool pairs_within(const struct pairs *a, const struct pairs *b);
/* "1-4 2-4", in positions, or "none". */
void pairs_format(const struct pairs *p, char *out, size_t max);

struct enumeration;
/* NULL when there are more than limit states. */
struct enumeration *enumerate(const struct tiny *t, struct enumerate_mode mode, uint32_t limit);
void enumeration_free(struct enumeration *e);

const struct pairs *enumeration_races(const struct enumeration *e);
/* Distinct states: events done per thread, contents of cells, tainted reads that still matter. */
uint32_t enumeration_states(const struct enumeration *e);
/* A shortest order that leads to the race (i, j); order has room for TINY_EVENTS.  Its length. */
int enumeration_order(const struct enumeration *e, int i, int j, int *order);

/* Events, as a mask, that wait for one another: acquires that do not try, and joins. */
struct deadlock {
	uint32_t events;
	bool joins;
	uint32_t node; /* for enumeration_deadlock_order */
};
const struct deadlock *enumeration_deadlocks(const struct enumeration *e, int *n);
int enumeration_deadlock_order(const struct enumeration *e, const struct deadlock *d, int *order);

/*
 * Condition waits that nobody ends.  HOLDING: an acquire, and the release of a wait by the thread that
 * holds that lock; that is next, or it waits already and no signal has come since.  LOST: a signal that found nobody, and the release of a wait that is then next.
 * SURE: no signal of another thread is left that could end the wait, nor anybody who waited when the trace ended, and may
 * be woken here to do what no trace shows.
 */
enum wait_kind { WAIT_HOLDING, WAIT_HOLDING_SURE, WAIT_LOST, WAIT_LOST_SURE, NWAITS };
const struct pairs *enumeration_waits(const struct enumeration *e, enum wait_kind kind);
int enumeration_wait_order(const struct enumeration *e, enum wait_kind kind, int i, int j,
			   int *order);

/*
 * The definition, for one order: is it a correct reordering after which a and b are both next?
 * relaxed: mask of reads that may see anything as the last event of their thread.
 */
bool enumerate_witness(const struct tiny *t, const int *order, int n, int a, int b,
		       uint32_t relaxed, struct enumerate_mode mode);

/* Of the mode no_data, by its steps: each event can happen where it comes, then a and b are next. */
bool enumerate_order_without_data(const struct tiny *t, const int *order, int n, int a, int b);

/* The same: is each of the events (a mask) next and do they wait for one another in one circle? */
bool enumerate_deadlock(const struct tiny *t, const int *order, int n, uint32_t events,
			uint32_t relaxed, struct enumerate_mode mode);
/* The same of a wait; i is the acquire or the signal, j the release. */
bool enumerate_wait(const struct tiny *t, const int *order, int n, enum wait_kind kind, int i,
		    int j, uint32_t relaxed, struct enumerate_mode mode);

/* Of each event, as masks: the events that come before it in every order of threads, forks, joins, locks
 * and semaphores alone. */
void enumerate_forced(const struct tiny *t, uint32_t before[TINY_EVENTS]);

/* Accesses of two threads: a and c of the one, b and d of the other. */
struct split {
	int a, b, d, c;
};
/* Some correct reordering has all of them, a before b and d before c; reads among them may see anything
 * as the last event of their thread. */
bool enumerate_split(const struct tiny *t, const struct split *p, struct enumerate_mode mode);
/* The order is one. */
bool enumerate_split_order(const struct tiny *t, const struct split *p, const int *order, int n,
			   struct enumerate_mode mode);

/* Every order that can happen, its first events first, until one is as wanted: the answer.  Reads of `relax'
 * may see anything as the last event of their thread. */
typedef bool enumerate_visit(void *arg, const int *order, int n);
bool enumerate_each(const struct tiny *t, struct enumerate_mode mode, uint32_t relax,
		    enumerate_visit *visit, void *arg);

/*
 * Pairs of conflicting events that the relation leaves unordered; by closure of its definition.
 * Which atomics an acquiring read comes after is open where plain writes or relaxed stores lie
 * between: at least the release whose value it read, at most (wide) every one before it.  For wcp,
 * whose definition knows no atomics, wide also makes edges of them and conflicts between them.
 */
void enumerate_hb(const struct tiny *t, bool wide, struct pairs *out);
void enumerate_wcp(const struct tiny *t, bool wide, struct pairs *out);
void enumerate_shb(const struct tiny *t, struct pairs *out); /* schedulable pairs, strict */

#endif /* TESTS_ENUMERATE_H */
