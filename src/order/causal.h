/*
 * What must run before an event: for every event of a model the least cut, closed under program
 * order, hard edges and (by mode) reads-from, that a run needs to reach it.
 *
 *	HARD	program order and hard edges alone
 *	STRICT	every read keeps its write
 *	DEP	only binding reads and uses keep theirs, with everything that flows into them
 *		(the backward slice); see doc/ARCHITECTURE.md on the dependency-aware model
 *
 * Some events can be in no reordering (after a read whose writer is unknown ...): their clocks
 * are "never", and so is everything that needs them.
 *
 * Memory: one clock for each change of the part about other chains.
 * Threads: read-only after causal_new.
 */
#ifndef ORDER_CAUSAL_H
#define ORDER_CAUSAL_H

#include <stdbool.h>
#include <stdint.h>

struct model;
struct causal;

enum causal_mode { CAUSAL_HARD, CAUSAL_STRICT, CAUSAL_DEP };

struct causal *causal_new(const struct model *m, enum causal_mode mode);
void causal_free(struct causal *c);

/* cut := cut joined with what must run before e, e itself left out and, for a read, its write
 * too: nothing holds of the value of an event that is next.  False: never. */
bool causal_before(const struct causal *c, uint32_t e, uint32_t *cut);

/* As causal_before, but only until e is called: what a JOIN waits for is left out, and the signal
 * of a WAKE: its thread sleeps then. */
bool causal_arrive(const struct causal *c, uint32_t e, uint32_t *cut);

/* cut := cut joined with e and all it needs.  False: never. */
bool causal_upto(const struct causal *c, uint32_t e, uint32_t *cut);

#endif /* ORDER_CAUSAL_H */
