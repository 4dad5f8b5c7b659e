/*
 * Sync-preserving closures (doc/SEMANTICS.md 2.4) of single cuts: the least cut with everything
 * that must run before some events in which, of the sections of each lock, only the one latest in
 * the trace is open.  What such a cut holds can run in observed order.
 *
 * Who asks for all accesses of a trace has them cheaper by causal_new_sections.
 */
#ifndef PREDICT_CLOSURE_H
#define PREDICT_CLOSURE_H

#include <stdbool.h>
#include <stdint.h>

#include "order/model.h"

struct causal;
struct goal;

/* cut := the least closed cut that holds it.  False: there is none. */
bool closure_extend(const struct model *m, const struct causal *c, uint32_t *cut);

/* From nothing: cut := what runs, in observed order, until the goal is reached.  False: no such
 * sync-preserving run. */
bool closure_reach(const struct model *m, const struct causal *c, const struct goal *g,
		   uint32_t *cut);

#endif /* PREDICT_CLOSURE_H */
