/*
 * Races by optimistic reversal of critical sections (after Shi et al., ICSE 2024): run what must
 * run, close every section that can be closed, and let the sections that stay open come last of
 * their lock, even where they came earlier in the recorded run.
 *
 * Sound; complete for nothing that has a short name.  Cost: about one look at the events between
 * the earliest section that is moved and the end of what runs.
 *
 * Threads: one osr for each thread; model and causal are shared.
 */
#ifndef PREDICT_OSR_H
#define PREDICT_OSR_H

#include "predict/exact.h"

struct osr;

/* c: CAUSAL_STRICT or CAUSAL_DEP; is_strict says which.  budget: events looked at, 0 default. */
struct osr *osr_new(const struct model *m, const struct causal *c, bool is_strict, uint64_t budget);
void osr_free(struct osr *o);
/* c: CAUSAL_MUST_LOOSE, of a model without pairs.  For osr_reach_tests, which else is never asked. */
void osr_use_tests(struct osr *o, const struct causal *c);

/* FOUND: *out is a reordering that reaches the goal. */
enum goal_outcome osr_reach(struct osr *o, const struct goal *g, struct exact_order *out);
/* The same with reads that are only compared (model_test) left open; then the order is walked along, and is none if one
 * comes out otherwise. */
enum goal_outcome osr_reach_tests(struct osr *o, const struct goal *g, struct exact_order *out);
/* One after the other, until one is reached: *found.  Where there are others nothing is decided. */
enum goal_outcome osr_try(struct osr *o, const struct goals *list, struct exact_order *out,
			  uint32_t *found);

#endif /* PREDICT_OSR_H */
