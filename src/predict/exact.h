/*
 * Exact search: is there a reordering of the recorded run after which some events are next, each
 * in its thread?
 *
 * Complete up to its budget: what must hold in every such reordering is gathered until nothing
 * more follows; what is left open is tried both ways (doc/ENGINES.md, exact).
 *
 * Ownership: an exact borrows model, causal and options; they outlive it.
 * Threads:   one exact for each thread; model and causal are shared.
 */
#ifndef PREDICT_EXACT_H
#define PREDICT_EXACT_H

#include "predict/goal.h"

struct causal;
struct engine_options;
struct model;
struct exact;

/* c: CAUSAL_STRICT or CAUSAL_DEP, as opt->strict says; with opt->values CAUSAL_HARD. */
struct exact *exact_new(const struct model *m, const struct causal *c,
			const struct engine_options *opt);
/* Reads that are only tested (model_test) may see other writes.  c: CAUSAL_MUST_LOOSE, with opt->values
 * CAUSAL_HARD. */
void exact_use_tests(struct exact *x, const struct causal *c);
void exact_free(struct exact *x);

/* A cut in observed order (nchains counters, or empty), then these events. */
struct exact_order {
	VEC(uint32_t) observed;
	VEC(uint32_t) ids;
};
void exact_order_release(struct exact_order *o);
/* Becomes a cut of nothing, which is returned, and nothing behind it. */
uint32_t *exact_order_clear(struct exact_order *o, const struct model *m);
/* Becomes the cut, and nothing behind it. */
void exact_order_observe(struct exact_order *o, const struct model *m, const uint32_t *cut);
/* Some thread ends where it repeats reads that are in no record, of what a
 * read-modify-write of its own has left; and that has left something else than in the recorded run.  The closing read
 * would show it, but is not part of the order, so no search has asked.  The order is then emptied. */
bool exact_order_misses(const struct model *m, struct exact_order *o);
/* Whatever decides by comparisons in the order does so as recorded, though a read sees another write.  Else it is
 * emptied.  Of an order that is right in all else. */
bool exact_order_answers(const struct model *m, struct exact_order *o);

/* FOUND: *out is a reordering that reaches the goal.  Otherwise *out is left empty.  The goal is
 * borrowed until the next call. */
enum goal_outcome exact_reach(struct exact *x, const struct goal *g, struct exact_order *out);
/* One after the other, until one is reached or they have taken more steps than the budget, or than
 * LIMIT_EXACT_STEPS.  *last: the one that was tried last. */
enum goal_outcome exact_try(struct exact *x, const struct goals *list, struct exact_order *out,
			    uint32_t *last);

/* Steps of search that the last exact_reach took: what the budget counts. */
uint64_t exact_steps(const struct exact *x);

#endif /* PREDICT_EXACT_H */
