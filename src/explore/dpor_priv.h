#ifndef EXPLORE_DPOR_PRIV_H
#define EXPLORE_DPOR_PRIV_H

#include "explore/dpor.h"
#include "explore/history.h"
#include "explore/trail.h"

struct dpor {
	struct search *search;
	struct trail trail;
	struct baton_set sleep; /* behind the last frame */
	struct history history;
	bool is_partly;
	bool is_astray; /* the last run was */
};

/* Looks for races of the last run, those of step `from' on, and says at the frames what is to be tried. */
void dpor_race(struct dpor *d, uint32_t from);

#endif /* EXPLORE_DPOR_PRIV_H */
