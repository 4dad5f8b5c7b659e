/*
 * The search for deadlocks that the engines patterns, spd and deadlocks share: patterns in order
 * of their length, each stage on what the ones before have left (doc/ENGINES.md).
 *
 *	patterns	requests that wait for one another, held sets disjoint
 *	must-edges	no event of the pattern must run before another
 *	spd		in observed order
 *	osr, exact	some sections reversed; any reordering
 *
 * The unit is the group: all patterns with the same places.  With all_pairs it is one tuple of
 * events.
 */
#ifndef PREDICT_DEADLOCKS_PRIV_H
#define PREDICT_DEADLOCKS_PRIV_H

#include "predict/engine.h"
#include "predict/lockgraph.h"
#include "predict/patterns.h"

#define DEADLOCKS_KEPT 32u  /* patterns of a group that are tried */
#define DEADLOCKS_MET 4096u /* patterns of a group that are looked at */
/* Groups that are reported as deadlocks, and as many as warnings: who has so many does not read
 * more, and each deadlock is checked along its whole schedule. */
#define DEADLOCKS_SHOWN 100u
#define DEADLOCKS_BLOCK 128u

enum deadlocks_stage {
	DEADLOCKS_LIST, /* patterns as they are, claiming nothing */
	DEADLOCKS_SPD,
	DEADLOCKS_ALL,
};

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
	uint64_t places;		 /* hash of the set of its places */
	VEC(struct deadlocks_kept) kept; /* all_pairs: none */
	uint32_t met;
	bool complete; /* there are no others */

	enum goal_outcome outcome; /* from trying it */
	/* FOUND: of the deadlock; else some that were tried.  all_pairs: those that it is about. */
	struct deadlocks_tuple events;
};

/* What one thread works with. */
struct deadlocks_hand {
	uint32_t *cut;
	struct osr *osr;     /* made when first needed */
	struct exact *exact; /* the same */
};

struct deadlocks {
	const struct engine *engine;
	const struct engine_options *opt;
	enum deadlocks_stage stage;
	bool must;    /* leave out patterns whose events must run one after the other */
	bool parents; /* and those that a lock held by a parent keeps apart */
	bool joins;   /* joins are requests, too */
	const struct model *m;
	struct lockgraph *g;
	struct patterns *patterns;
	const struct causal *hard;
	const struct causal *strict, *c; /* c: by the facts of the trace; strict: NULL if c is */
	const struct causal *tight;	 /* what exact search goes by; then, with tests: */
	const struct causal *exact;
	struct deadlocks_hand *hands;
	unsigned jobs;

	/* Of the length at hand. */
	VEC(struct deadlocks_group) groups;
	struct map index;	    /* without all_pairs: signature, to 1 + number of its group */
	uint64_t signature, places; /* of the circle of places at hand */

	size_t ngroups;	    /* of all lengths */
	struct map settled; /* sets of places that a shorter circle was found at */
	size_t first;	    /* of the block that is being tried */
	struct exact_order orders[DEADLOCKS_BLOCK]; /* FOUND: by what order */
	uint32_t found;	  /* groups that are deadlocks; at DEADLOCKS_SHOWN the search ends */
	uint32_t warned;  /* groups that are warnings, whether reported or not */
	uint32_t untried; /* groups that were left when the search ended */
	bool longer;	  /* it ended before the longest patterns were looked for */
	bool cut;	  /* patterns were left out for want of steps */
	bool full;	  /* or of room */
};

/* deadlocks_gather.c: fills groups with the patterns of n threads. */
void deadlocks_gather(struct deadlocks *d, uint32_t n);

/* deadlocks_try.c: work of a pool over a block of groups. */
void deadlocks_try(void *arg, size_t i, unsigned worker);

/* None of the n events must run before another, by c. */
bool deadlocks_unordered(const struct deadlocks *d, const struct causal *c,
			 const struct deadlocks_tuple *t, uint32_t n, uint32_t *cut);
uint32_t deadlocks_span(const struct deadlocks_tuple *t, uint32_t n);

/* The next tuple of the product of the requests' events; at: its counters.  False: it was the
 * last. */
bool deadlocks_next_tuple(const struct lockgraph *g, const struct pattern *p, uint32_t *at);
void deadlocks_tuple_at(const struct lockgraph *g, const struct pattern *p, const uint32_t *at,
			struct deadlocks_tuple *out);

/* spd.c: sync-preserving deadlocks (Tunc et al., PLDI 2023): of a pattern, the earliest events that
 * can all be next at once while sections keep their observed order. */
struct spd_question {
	const struct lockgraph *g;
	const struct causal *c;
	/* True: closed under sections, and so a run.  False: only what must run before what counts;
	 * then a false answer says that of any events of the pattern one must run before another. */
	bool closed;
};

/* True: *events are next after `cut' in observed order.  False: none are, or the steps ran out.
 * *steps: how many are left.  events: room for the pattern's; cut: nchains counters. */
bool spd_scan(const struct spd_question *q, const struct pattern *p, uint64_t *steps,
	      uint32_t *events, uint32_t *cut);

#endif /* PREDICT_DEADLOCKS_PRIV_H */
