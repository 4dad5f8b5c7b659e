/*
 * Dynamic partial-order reduction: one run for every Mazurkiewicz trace.
 *
 * Source sets with sleep sets (Abdulla, Aronis, Jonsson and Sagonas, POPL 2014), without wakeup trees, so
 * that some runs stop half-way when they turn out to be known (BATON_BLOCKED).
 *
 * A step that ends the process takes the others' steps away.  These runs are no traces of their own: it is
 * made sure that whatever another thread can do is done in some run, not that the end comes at every place.
 */
#ifndef EXPLORE_DPOR_H
#define EXPLORE_DPOR_H

#include "explore/search.h"

struct dpor_counts {
	uint64_t traces;  /* runs to the end, none equal to another */
	uint64_t blocked; /* runs that were given up, being equal to earlier ones */
	uint64_t
		restarts; /* because there were more steps; traces and blocked begin anew with them */
};

enum search_end dpor_search(struct search *s, struct dpor_counts *counts, struct diag *d);

#endif /* EXPLORE_DPOR_H */
