/*
 * The search of one exploration: its strategies one after the other, under one budget; what is a failure;
 * and failures made short.
 */
#ifndef EXPLORE_STRATEGIES_H
#define EXPLORE_STRATEGIES_H

#include "explore/explore.h"
#include "explore/shares.h"

struct strategies {
	const struct explore *e;
	struct explore_result *out;
	struct diag *d;
	double deadline; /* of all (talk_clock) */
	double begun;
	/* Private. */
	double shorten_until; /* 0: nothing is made short yet */
	double until;	      /* of the strategy, as part of all the time and runs */
	struct shares shares;
	struct talk_progress progress;
};

/* Of struct strategies, for server_search. */
void strategies_search(void *arg, struct explore_runner *r);

/* The same for the same two places, whichever came first. */
uint64_t strategies_race(const struct shares_race *race, const struct explore_runner *r);

#endif /* EXPLORE_STRATEGIES_H */
