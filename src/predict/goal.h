/*
 * What a search is to reach: a reordering that contains some events and after which others are
 * next, each in its thread.
 *
 * `next' is meant as called: a JOIN or a WAKE that is next has not got what it waits for
 * (causal_arrive).
 */
#ifndef PREDICT_GOAL_H
#define PREDICT_GOAL_H

#include <stdbool.h>
#include <stdint.h>

struct causal;
struct model;

struct goal {
	const uint32_t *next; /* event ids, of different threads; not part of the reordering */
	uint32_t nnext;
	const uint32_t *done; /* part of it */
	uint32_t ndone;
};

/* cut := cut joined with what any such reordering holds.  False: there is none. */
bool goal_need(const struct goal *g, const struct causal *c, uint32_t *cut);

/* Some event that is to be next is in the cut. */
bool goal_is_passed(const struct goal *g, const struct model *m, const uint32_t *cut);

#endif /* PREDICT_GOAL_H */
