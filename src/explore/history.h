/*
 * What came before what in a run: a vector clock for every step.
 *
 * A step comes after the one before it of its thread, after all earlier steps that it depends on
 * (baton_depends), a join after all of its thread, the way out of a barrier after all ways in of its
 * round, and a thread after the step whose tail made it.
 *
 * Steps are put in one by one.  An operation that is not in yet, the next step or one that is pending
 * at the end, can be asked for the steps that it depends on.  These lie in chains, one for every word
 * and every object, so that nobody walks over steps that do not concern him.
 *
 * Ownership: the caller owns the struct, which is empty when all zero; the steps must stay.
 */
#ifndef EXPLORE_HISTORY_H
#define EXPLORE_HISTORY_H

#include "base/common.h"
#include "trace/baton.h"

struct history_link {
	uint32_t step;
	uint32_t older;	     /* the next one in its chain, 0: none */
	uint32_t older_full; /* the next that depends on all of its chain, reads and writes alike */
};

struct history {
	const struct baton_step *steps;
	uint32_t nthreads;		 /* of the whole run */
	uint32_t n;			 /* steps that are in */
	uint32_t made;			 /* threads that are known to be made */
	VEC(uint32_t) clocks;		 /* a row of nthreads for every step */
	VEC(uint32_t) nth;		 /* of its thread, from 1 */
	VEC(uint32_t) of[BATON_THREADS]; /* the steps of each thread */
	VEC(uint32_t) begins;		 /* a row for every thread: what its maker knew */
	VEC(struct history_link) links;	 /* the first is none */
	struct map chains;		 /* of a word or object: its newest link */
	VEC(uint32_t) wide;		 /* steps of more words than are worth a chain each */
	VEC(uint32_t) rounds;		 /* of barriers: a row each, and before it how many came */
	struct map meetings;		 /* of a barrier: its latest round, from 1 */
	uint32_t round_of[BATON_THREADS];
};

void history_release(struct history *h);
/* Of a run with so many threads.  What was in is forgotten. */
void history_begin(struct history *h, const struct baton_step *steps, uint32_t nthreads);
/* Puts in the next step. */
void history_add(struct history *h);
/* There are no more: the threads that have no step are known, too. */
void history_end(struct history *h);

static inline const uint32_t *history_clock(const struct history *h, uint32_t step)
{
	return h->clocks.at + (size_t)step * h->nthreads;
}

static inline bool history_is_before(const struct history *h, uint32_t step, const uint32_t *clock)
{
	return clock[h->steps[step].choice.thread] >= h->nth.at[step];
}

/* What a thread knows when it comes to its next step.  Good until the next history_add. */
const uint32_t *history_known(const struct history *h, uint32_t thread);
/* How many steps of the thread come before `step' in the run. */
uint32_t history_count(const struct history *h, uint32_t thread, uint32_t step);

/* Depends on everything in its chain. */
bool history_is_full(const struct baton_op *op);

/*
 * The steps that are in and that an operation depends on: chain by chain, the newest of each first.
 * A step of several words may come several times.
 */
struct history_walk {
	const struct history *h;
	const struct baton_op *op;
	uint64_t next, end; /* words or objects that are left */
	size_t item;	    /* wide: of the map */
	size_t wide;	    /* so many of the wide ones are left */
	uint64_t word;	    /* of the chain */
	uint32_t link;
	bool is_shared, is_wide;
	bool is_watched,
		in_watched; /* the chain of what properties are about: is left; is this one */
};

void history_walk(struct history_walk *w, const struct history *h, const struct baton_op *op);
bool history_walk_next(struct history_walk *w, uint32_t *step);
/* Does all that is older in this chain, and that the operation depends on, come before this step? */
bool history_walk_covers(const struct history_walk *w, uint32_t step);
/* Goes on to the next chain. */
void history_walk_skip(struct history_walk *w);

#endif /* EXPLORE_HISTORY_H */
