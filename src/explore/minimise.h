/*
 * The shortest schedule of a failure: the fewest preemptions, then the fewest steps.
 *
 * What a search finds is rarely an explanation; a random one has a switch at every other step.  First the
 * schedule is cut down, stretch by stretch, as long as the program still fails in the same way.  Then, as
 * far as the budget goes, all schedules with 0, 1, 2, ... preemptions are tried: what is found so has no
 * better.
 */
#ifndef EXPLORE_MINIMISE_H
#define EXPLORE_MINIMISE_H

#include "explore/search.h"

struct minimise {
	uint64_t runs; /* at most */
	void *context;
	bool (*keeps_on)(void *context); /* NULL: for that many runs */

	/* Out. */
	VEC(struct baton_choice) schedule; /* of all steps of the run */
	uint32_t preemptions;
	uint32_t nprefix; /* with so many of them given the rest follows, each thread going on */
	uint64_t done;	  /* runs */
	bool is_again;	  /* the failure was seen again; if not, the schedule is as it was */
	bool is_least;	  /* there is no better one */
};

/* s: who runs, and what a failure is; it is not changed.  SEARCH_BUDGET: it may not be the least. */
enum search_end minimise_failure(const struct search *s, const struct search_failure *f,
				 struct minimise *m, struct diag *d);
void minimise_release(struct minimise *m);

#endif /* EXPLORE_MINIMISE_H */
