/*
 * All interleavings of a toy program, one after the other, and how many of them differ: two are the same
 * when steps that do not touch the same thing are swapped.  Shares nothing with the explorer, its
 * dependence included.
 */
#ifndef TESTS_EXPLORE_ALL_H
#define TESTS_EXPLORE_ALL_H

#include "unit/explore_toy.h"

#define EXPLORE_ALL_MOST 64

struct explore_all {
	uint64_t runs, deadlocks; /* interleavings */
	struct map traces;	  /* by the hash of their normal form; 1: a deadlock */
	struct map ends;	  /* states at the end, by hash */
	struct map failures;	  /* by what failed, or who waits where: EXPLORE_ALL_LEAST of it */
	uint64_t by_preemptions[EXPLORE_ALL_MOST]; /* interleavings */
};

/* The fewest preemptions, then the fewest steps. */
#define EXPLORE_ALL_LEAST(preemptions, steps) ((uint64_t)(preemptions)*1000 + (steps))

void explore_all(const struct toy_program *p, struct explore_all *out);
void explore_all_release(struct explore_all *a);

/* Of a state that is an end. */
uint64_t explore_all_end(const struct toy_state *s);
/* 0: none. */
uint64_t explore_all_failure(const struct toy_program *p, const struct toy_state *s);
uint64_t explore_all_deadlocks(const struct explore_all *a); /* traces */

#endif /* TESTS_EXPLORE_ALL_H */
