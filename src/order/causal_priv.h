/*
 * The parts of causal clocks: sets of events as they grow, and what is kept of them.
 */
#ifndef ORDER_CAUSAL_PRIV_H
#define ORDER_CAUSAL_PRIV_H

#include "order/causal.h"
#include "order/model.h"
#include "order/rowtree.h"

#define CAUSAL_NEVER UINT32_MAX

/* A cut, and with sections kept the latest acquires in it: of lock l the latest exclusive one at
 * key 2 l, the latest shared one at 2 l + 1. */
struct causal_set {
	uint32_t cut, locks; /* rows */
};

struct causal {
	const struct model *m;
	enum causal_mode mode; /* HARD, STRICT or DEP */
	bool paired;
	bool loose;    /* what is only tested keeps nothing */
	bool sections; /* closed by the order of sections, too */
	struct rowtree cuts, locks;
	VEC(struct causal_set) sets; /* [0] empty */
	uint32_t *after;	     /* by event: set of TLC without the own counter, or NEVER */
	struct map before;	     /* events with edges into them: set before it, or NEVER */

	/* While it is made. */
	uint32_t *slice; /* DEP, by write: set of its slice without the own counter, or NEVER */
	uint32_t *now;	 /* by chain: after its latest event */
	struct rowtree_clashes clashes;
};

/*
 * A set that is being worked out.  The counter of its own chain is `own' and is in no row.
 *
 * Sets of a causal are closed.  The union of two is closed by edges and reads; sections may clash:
 * what is to be looked at lies in clashes until causal_settle.
 */
struct causal_growing {
	const struct causal *c;
	struct rowtree *cuts, *locks; /* where new rows go: those of c, or scratch */
	uint32_t cut_mark, lock_mark;
	struct causal_set set;
	uint32_t chain, own; /* chain: UINT32_MAX none */
	bool never;
	uint32_t stop; /* event: settle may end when the set has it; 0 none */
	struct rowtree_clashes *clashes;
};

static inline uint32_t causal_growing_at(const struct causal_growing *g, uint32_t chain)
{
	return chain == g->chain ? g->own : rowtree_at(g->cuts, g->set.cut, chain);
}

static inline bool causal_growing_has(const struct causal_growing *g, uint32_t e)
{
	return g->c->m->event[e].index < causal_growing_at(g, g->c->m->event[e].chain);
}

/* Joins a set of c, that of event e, with e; it may not be settled then. */
void causal_join(struct causal_growing *g, uint32_t set, uint32_t e);
/* An acquire comes in, last of all. */
void causal_acquire(struct causal_growing *g, uint32_t e);
/* Closes the sections that a later one of their lock has passed. */
void causal_settle(struct causal_growing *g);

/* The set before e, in c->sets; NEVER. */
uint32_t causal_set_before(const struct causal *c, uint32_t e);

#endif /* ORDER_CAUSAL_PRIV_H */
