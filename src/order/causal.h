/*
 * What must run before an event: for every event of a model the least cut, closed under program
 * order, hard edges and (by mode) reads-from, that a run needs to reach it.
 *
 *	HARD	program order and hard edges alone
 *	STRICT	every read keeps its write
 *	DEP	only binding reads and uses keep theirs, with everything that flows into them
 *		(the backward slice); see doc/SEMANTICS.md 2.2
 *	MUST_	the same two, for who counts; LOOSE: the same as DEP, but what is only tested (model_test)
 *		keeps nothing
 *
 * STRICT and DEP keep pairs: a wait of a semaphore comes after the post that it took, a try that
 * failed after the acquire of who held the lock.  A cut that is closed by them can run in observed
 * order.  But they say too much about what must be.  HARD and MUST_ say no more of these than what
 * counting shows (model_counted); a search by them has to count.
 *
 * Some events can be in no reordering (after a read whose writer is unknown ...): their clocks
 * are "never", and so is everything that needs them.
 *
 * With sections: in each set, of the sections of a lock only the one latest in the trace is open.
 * What such a set holds can run in observed order (doc/SEMANTICS.md 2.4).
 *
 * Memory: a set for each change of the part about other chains; sets share what is the same.
 * Threads: read-only after causal_new.
 */
#ifndef ORDER_CAUSAL_H
#define ORDER_CAUSAL_H

#include "order/rowtree.h"

struct model;
struct causal;

enum causal_mode {
	CAUSAL_HARD,
	CAUSAL_STRICT,
	CAUSAL_DEP,
	CAUSAL_MUST_STRICT,
	CAUSAL_MUST_DEP,
	CAUSAL_MUST_LOOSE,
	CAUSAL_MODES
};

struct causal *causal_new(const struct model *m, enum causal_mode mode, bool sections);
void causal_free(struct causal *c);

/* What must run before an event, to be asked chain by chain. */
struct causal_known {
	const struct rowtree *rows;
	uint32_t row;
	uint32_t chain, own; /* the event's chain, and how much of it */
};
/* As causal_before.  False: never, and nothing but its own chain is known. */
bool causal_known(const struct causal *c, uint32_t e, struct causal_known *out);
static inline uint32_t causal_known_at(const struct causal_known *k, uint32_t chain)
{
	return chain == k->chain ? k->own : rowtree_at(k->rows, k->row, chain);
}

/* cut := cut joined with what must run before e, e itself left out and, for a read, its write
 * too: nothing holds of the value of an event that is next.  False: never. */
bool causal_before(const struct causal *c, uint32_t e, uint32_t *cut);

/* As causal_before, but only until e is called: what a JOIN waits for is left out, and the signal
 * of a WAKE: its thread sleeps then. */
bool causal_arrive(const struct causal *c, uint32_t e, uint32_t *cut);

/* cut := cut joined with e and all it needs.  False: never. */
bool causal_upto(const struct causal *c, uint32_t e, uint32_t *cut);

/* *n := how many events of the chain must run before e, or are e.  False: never. */
bool causal_count(const struct causal *c, uint32_t e, uint32_t chain, uint32_t *n);

/*
 * Two events of different chains, a before b in the trace, that are both to be next.  With
 * sections; belongs to one thread.
 */
struct causal_meeting;
struct causal_meeting *causal_meeting_new(const struct causal *c);
void causal_meeting_free(struct causal_meeting *t);
/* What must run before both.  False: never, for these and for later events of their chains.
 * True, and the set has a: a has to run before b can be next; the set may not be complete then. */
bool causal_meet(struct causal_meeting *t, uint32_t a, uint32_t b);
/* After it, of that set: how much of a chain; or all of it, joined to a cut. */
uint32_t causal_meeting_at(const struct causal_meeting *t, uint32_t chain);
void causal_meeting_into(const struct causal_meeting *t, uint32_t *cut);

#endif /* ORDER_CAUSAL_H */
