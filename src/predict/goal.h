/*
 * What a search is to reach: a reordering that contains some events and after which others are
 * next, each in its thread.
 *
 * `next' is meant as called: a JOIN or a WAKE that is next has not got what it waits for
 * (causal_arrive).
 *
 * Of events that are part of it, some may have to come in a certain order (`before').  The
 * sync-preserving closures below do not look at that.
 */
#ifndef PREDICT_GOAL_H
#define PREDICT_GOAL_H

#include "base/common.h"

struct causal;
struct model;

/* Both part of the reordering, in this order; `then' is an access. */
struct goal_pair {
	uint32_t first, then;
};

struct goal {
	const uint32_t *next; /* event ids, of different threads; not part of the reordering */
	uint32_t nnext;
	const uint32_t *done; /* part of it */
	uint32_t ndone;
	const struct goal_pair *before; /* of events in done */
	uint32_t nbefore;
};

/* How a search ended; of several the highest counts. */
enum goal_outcome {
	GOAL_REFUTED = 1, /* not in any reordering of the whole model */
	GOAL_HEARD,    /* waits: there, but in the order that was found a signal comes in between */
	GOAL_SEARCHED, /* not where it was looked for */
	GOAL_UNDECIDED, /* the budget ran out, or the run was stopped */
	GOAL_FOUND,
	GOAL_OUTCOMES
};

/* Several for one finding: tuples of events that are to be next. */
struct goals {
	const void *at;	  /* the first tuple: event ids */
	size_t stride;	  /* bytes from one to the next */
	uint32_t n, size; /* tuples; events of each */
	bool complete;	  /* there are no others */
};

static inline struct goal goals_get(const struct goals *list, uint32_t i)
{
	const void *tuple = (const char *)list->at + i * list->stride;

	return (struct goal){ .next = tuple, .nnext = list->size };
}

/*
 * Sync-preserving closures (doc/SEMANTICS.md 2.4) of single cuts: the least cut with everything
 * that must run before some events in which, of the sections of each lock, only the one latest in
 * the trace is open.  What such a cut holds can run in observed order.
 *
 * Who asks for all accesses of a trace has them cheaper by causal_new with sections.
 */

/* cut := the least closed cut that holds it.  False: there is none. */
bool goal_close(const struct model *m, const struct causal *c, uint32_t *cut);
/* From nothing: cut := what runs, in observed order, until the goal is reached.  False: no such
 * sync-preserving run. */
bool goal_reach(const struct goal *g, const struct model *m, const struct causal *c, uint32_t *cut);

/* The cut is what any such reordering holds, and nothing that is to be next is in it.  False:
 * there is no such reordering. */
bool goal_is_possible(const struct goal *g, const struct model *m, const struct causal *c,
		      uint32_t *cut);
/* cut := cut joined with what any such reordering holds.  False: there is none. */
bool goal_need(const struct goal *g, const struct causal *c, uint32_t *cut);

/* Some event that is to be next is in the cut. */
bool goal_is_passed(const struct goal *g, const struct model *m, const uint32_t *cut);

#endif /* PREDICT_GOAL_H */
