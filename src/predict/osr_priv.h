/*
 * The parts of the optimistic reversal: osr.c makes the set of events, osr_graph.c looks for a
 * cycle and orders them.
 */
#ifndef PREDICT_OSR_PRIV_H
#define PREDICT_OSR_PRIV_H

#include "order/causal.h"
#include "order/model.h"
#include "predict/osr.h"

#define OSR_MOVED 64 /* sections that are moved at once: bits of a mask */

/* A set of moved sections, by bits. */
typedef uint64_t osr_mask;

/* From `index' on, the events of a chain come after these sections. */
struct osr_change {
	uint32_t index;
	uint32_t prev; /* an earlier one of the chain; 1 + index in changes, 0 none */
	osr_mask mask;
};

struct osr_cell {
	uint32_t stamp;
	osr_mask last;	  /* of the latest write */
	osr_mask writers; /* of all writes so far */
	osr_mask readers; /* of all needed reads so far */
};

struct osr_lock {
	uint32_t stamp;
	osr_mask ended[2]; /* of releases so far: exclusive, shared */
	osr_mask moved[2]; /* moved sections of the lock, by their mode */
};

struct osr_event {
	uint32_t id;
	osr_mask mask;
};

struct osr {
	const struct model *m;
	const struct causal *c, *tight, *by_tests; /* c: that of the question */
	bool is_strict, tests;			   /* tests: what is compared does not bind */
	uint64_t budget;
	uint32_t *cut, *try; /* nchains counters */
	VEC(uint32_t) open;  /* acquires that stay open */
	/* Those of them that have to move, ascending, and accesses that must come after later ones by
	 * the goal; bit i is moved.at[i]. */
	VEC(uint32_t) moved;
	const struct goal *goal;
	osr_mask after[OSR_MOVED]; /* the sections that must come before section i */
	uint32_t low, high;	   /* the events that are looked at, both ends in */
	VEC(uint8_t) need;	   /* by event from low on: it is a needed read */
	VEC(uint8_t) read;	   /* by touch from that of low on: a needed read sees it */
	uint32_t stamp;
	struct osr_cell *cells;
	struct osr_lock *locks;
	osr_mask *chain_mask;	/* by chain: of its latest event */
	uint32_t *chain_change; /* by chain: its latest change; 1 + index, 0 none */
	VEC(struct osr_change) changes;
	VEC(struct osr_event) reached; /* events that come after some moved section */
	struct model_guard *guards;    /* by `to' */
};

/* Orders the events of o->cut so that the moved sections come last of their locks.  False: there
 * is a cycle. */
bool osr_graph(struct osr *o, struct exact_order *out);

#endif /* PREDICT_OSR_PRIV_H */
