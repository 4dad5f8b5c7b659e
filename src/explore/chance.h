/*
 * Schedules by chance.  None of it is ever complete; of PCT it is known how likely it is to miss.
 */
#ifndef EXPLORE_CHANCE_H
#define EXPLORE_CHANCE_H

#include "explore/search.h"

struct chance {
	enum baton_policy policy; /* RANDOM, POS or PCT */
	uint32_t depth; /* PCT: of the bug: its order constraints, one more than the changes */
	uint64_t runs;

	/* Out. */
	uint64_t done;
	uint32_t threads, steps; /* PCT: the most of them in a run, by which chances are said */
};

/* SEARCH_WHOLE: all runs were done, which says nothing of others. */
enum search_end chance_search(struct search *s, struct chance *c, struct diag *d);

/*
 * How likely it is at most that so many runs of PCT have missed a bug of a depth: each hits it with 1 in
 * threads * steps ^ (depth - 1) at least (Burckhardt, Kothari, Musuvathi and Nagarakatte, ASPLOS 2010).
 */
double chance_missed(const struct chance *c);

#endif /* EXPLORE_CHANCE_H */
