/*
 * Data races of one run: two accesses of the same bytes by different threads, one of them a write, not both
 * atomic, and no synchronisation between them.
 *
 * Synchronisation is what a lock, a condition, a semaphore, a barrier, a once, a join, the making of a thread
 * or an atomic variable hands on; that one step came before the other in this run is none.  Where the steps do
 * not tell who has handed on to whom (which post a wait has used, whether a try got its lock) it is all that
 * may have: a race may be missed in this run, none is made up.
 */
#ifndef EXPLORE_SHARES_H
#define EXPLORE_SHARES_H

#include "explore/runner.h"

struct shares_race {
	uint32_t first, second; /* steps */
};

struct shares {
	VEC(struct shares_race)
	races; /* one for every two sites, in the order of their second steps */
};

/* Of the last run.  What was in is forgotten. */
void shares_find(struct shares *s, const struct explore_runner *r);
void shares_release(struct shares *s);

#endif /* EXPLORE_SHARES_H */
