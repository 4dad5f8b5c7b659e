/*
 * What gathering patterns and trying them have in common.
 *
 * Without all_pairs the unit is the group: all patterns with the same places.  With it, each tuple
 * of events is one.
 */
#ifndef PREDICT_DEADLOCKS_PRIV_H
#define PREDICT_DEADLOCKS_PRIV_H

#include "base/map.h"
#include "base/vec.h"
#include "order/causal.h"
#include "predict/deadlocks.h"
#include "predict/engine.h"
#include "predict/exact.h"
#include "predict/limits.h"
#include "predict/lockgraph.h"
#include "predict/patterns.h"

#define DEADLOCKS_KEPT 32u  /* patterns of a group that are tried */
#define DEADLOCKS_MET 4096u /* patterns of a group that are looked at */
/* Groups that are reported as deadlocks, and as many as warnings: who has so many does not read
 * more, and each deadlock is checked along its whole schedule. */
#define DEADLOCKS_SHOWN 100u

struct deadlocks_tuple {
	uint32_t at[PATTERN_MOST]; /* events */
};

/* A pattern, and events of it none of which must run before another. */
struct deadlocks_kept {
	struct pattern pattern;
	struct deadlocks_tuple first;
	uint32_t span; /* how far apart those are */
};

struct deadlocks_group {
	uint32_t n; /* threads */
	enum finding_kind kind;
	uint64_t places; /* hash of the set of its places */
	VEC(struct deadlocks_kept) kept;
	uint32_t met;
	bool complete; /* there are no others */

	/* From trying it. */
	enum goal_outcome outcome;
	struct deadlocks_tuple events; /* FOUND: of the deadlock; else some that were tried */
	struct exact_order order;
};

struct deadlocks_item {
	uint32_t n;
	enum finding_kind kind;
	struct deadlocks_tuple events;
};

/* What one thread works with. */
struct deadlocks_hand {
	uint32_t *cut;
	struct osr *osr;     /* made when first needed */
	struct exact *exact; /* the same */
};

struct deadlocks {
	const struct deadlocks_setup *setup;
	const struct engine_options *opt;
	const struct model *m;
	struct lockgraph *g;
	struct patterns *patterns;
	const struct causal *hard;
	const struct causal *strict, *c; /* c: by the facts of the trace; strict: NULL if c is */
	const struct causal *exact;	 /* what exact search goes by */
	struct deadlocks_hand *hands;
	unsigned jobs;

	/* Of the length at hand. */
	VEC(struct deadlocks_group) groups; /* without all_pairs */
	VEC(struct deadlocks_item) items;   /* with it */
	struct map index;		    /* signature, to 1 + number of its group */
	uint64_t signature, places;	    /* of the circle of places at hand */

	size_t ngroups;	    /* of all lengths */
	struct map settled; /* sets of places that a shorter circle was found at */
	size_t first;	    /* of the block that is being tried */
	uint32_t found;	    /* groups that are deadlocks; at DEADLOCKS_SHOWN the search ends */
	uint32_t warned;    /* groups that are warnings, whether reported or not */
	uint32_t untried;   /* groups that were left when the search ended */
	bool longer;	    /* it ended before the longest patterns were looked for */
	bool cut;	    /* patterns were left out for want of steps */
	bool full;	    /* or of room */
};

/* deadlocks_gather.c: fills groups or items with the patterns of n threads. */
void deadlocks_gather(struct deadlocks *d, uint32_t n);

/* deadlocks_try.c: works of a pool over groups, and over items into groups[i]. */
void deadlocks_try_group(void *arg, size_t i, unsigned worker);
void deadlocks_try_item(void *arg, size_t i, unsigned worker);

/* None of the n events must run before another, by c. */
bool deadlocks_unordered(const struct deadlocks *d, const struct causal *c,
			 const struct deadlocks_tuple *t, uint32_t n, uint32_t *cut);
uint32_t deadlocks_span(const struct deadlocks_tuple *t, uint32_t n);

/* The next tuple of the product of the requests' events; at: its counters.  False: it was the
 * last. */
bool deadlocks_next_tuple(const struct lockgraph *g, const struct pattern *p, uint32_t *at);
void deadlocks_tuple_at(const struct lockgraph *g, const struct pattern *p, const uint32_t *at,
			struct deadlocks_tuple *out);

/* Threads that wait for themselves; what is found is added to the counts. */
void deadlocks_own(struct engine_run *run, const struct engine *engine, struct engine_result *out);

#endif /* PREDICT_DEADLOCKS_PRIV_H */
