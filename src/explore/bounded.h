/*
 * All schedules with at most so many preemptions.  Where the running thread cannot go on, or has yielded,
 * every other is tried; where it can, only as long as the bound allows.
 */
#ifndef EXPLORE_BOUNDED_H
#define EXPLORE_BOUNDED_H

#include "explore/search.h"

struct bounded_counts {
	uint64_t runs;	   /* since words came to be shared last */
	bool is_exhausted; /* nothing was left out: more preemptions give no more schedules */
};

enum search_end bounded_search(struct search *s, uint32_t bound, struct bounded_counts *counts,
			       struct diag *d);

#endif /* EXPLORE_BOUNDED_H */
