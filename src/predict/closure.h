/*
 * Sync-preserving closures (handbook 8.4): the least cut with everything that must run before an
 * event in which, of the sections of each lock, only the one latest in the trace is open.  What
 * such a cut holds can run in observed order.
 *
 * Closures hold of each access of a list of candidates.  The closure of an event lies before it
 * in the trace and grows along its chain.
 *
 * Ownership: closures borrow model and causal.  Threads: read-only once made.
 */
#ifndef PREDICT_CLOSURE_H
#define PREDICT_CLOSURE_H

#include <stdbool.h>
#include <stdint.h>

#include "order/model.h"

struct candidates;
struct causal;
struct closures;
struct goal;

/* For all accesses of the candidates; jobs threads work on it. */
struct closures *closures_new(const struct model *m, const struct causal *c,
			      const struct candidates *wanted, unsigned jobs);
void closures_free(struct closures *s);

/* cut := the closure of what must run before e.  False: there is none. */
bool closures_of(const struct closures *s, uint32_t e, uint32_t *cut);

enum closure_answer {
	CLOSURE_APART, /* both can be next at once: cut says when */
	CLOSURE_TAKES, /* e1 has to run before e2 can be next */
	CLOSURE_NONE,  /* no closed cut at all, for these and for later events of their chains */
};
/* cut := the closure of what must run before e1 and e2.  Precondition: e1 is before e2 in the
 * trace, both have closures and before2 is that of e2. */
enum closure_answer closures_pair(const struct closures *s, uint32_t e1, uint32_t e2,
				  const uint32_t *before2, uint32_t *cut);

/* cut := the least closed cut that holds it.  False: there is none. */
bool closure_extend(const struct model *m, const struct causal *c, uint32_t *cut);

/* From nothing: cut := what runs, in observed order, until the goal is reached.  False: no such
 * sync-preserving run. */
bool closure_reach(const struct model *m, const struct causal *c, const struct goal *g,
		   uint32_t *cut);

#endif /* PREDICT_CLOSURE_H */
