#ifndef EXPLORE_DPOR_PRIV_H
#define EXPLORE_DPOR_PRIV_H

#include "explore/dpor.h"
#include "explore/history.h"

/* The state before a step of the last run, and what is tried from there. */
struct dpor_frame {
	struct baton_choice choice; /* now */
	uint16_t branches;	    /* of the chosen operation */
	uint16_t first_branch;	    /* when they have gone round, all were tried */
	struct baton_set enabled;
	struct baton_set todo;	/* tried, or to be tried */
	struct baton_set done;	/* tried with all that follows */
	struct baton_set sleep; /* what begins with these was looked at from an earlier frame */
};

struct dpor {
	struct search *search;
	VEC(struct dpor_frame) frames;
	struct baton_set sleep; /* behind the last frame */
	struct history history;
	bool is_partly;
	bool is_astray; /* the last run was */
	/* A guess at what comes next: a frame, one behind where it stands, and what leads to it. */
	struct dpor_frame guess;
	size_t guess_at;
	VEC(struct baton_choice) prefix;
};

/* Looks for races of the last run, those of step `from' on, and says at the frames what is to be tried. */
void dpor_race(struct dpor *d, uint32_t from);

#endif /* EXPLORE_DPOR_PRIV_H */
