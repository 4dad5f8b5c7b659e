/*
 * Orders in which two threads take turns once, found without a search:
 *
 *	the observed order of a cut; then u alone, through its part; then t alone, to its last event
 *
 * In the cut t stands somewhere inside its block and u just before its part.  What the two runs demand of the
 * cut is that events are in it, so the least cut with all that will do if any does; one walk along the two
 * runs says whether it does: later writes of what they read, and locks that are held, speak against it.
 *
 * Reads of the two runs that are only compared (model_test) bind at first, and where that fails go by the outcome.
 *
 * That is the way in which most blocks are split, and it needs no window: the cost is that of the two
 * runs, however long the trace.
 *
 * Ownership: a gap borrows model and causal; they outlive it.
 * Threads:   one gap for each thread; model and causal are shared.
 */
#ifndef PREDICT_GAP_H
#define PREDICT_GAP_H

#include "predict/exact.h"

struct gap;

/* c: CAUSAL_STRICT if is_strict, else CAUSAL_DEP. */
struct gap *gap_new(const struct model *m, const struct causal *c, bool is_strict);
void gap_free(struct gap *g);

struct gap_turns {
	uint32_t u_at, u_to; /* where u is held: number in its chain; the last event of its part */
	uint32_t t_at, t_to; /* the same of t, whose last event may see anything if it reads */
	bool frozen;	     /* u_to is the last that u does, and may see anything, too */
};

/* True: *out is such an order.  Otherwise *out is left empty. */
bool gap_reach(struct gap *g, const struct gap_turns *turns, struct exact_order *out);

/* The last events of the two threads in the order that was found last. */
void gap_ends(const struct gap *g, uint32_t ends[2]);

#endif /* PREDICT_GAP_H */
