/*
 * The last run of a search that turns back: one frame for each of its steps, with what was tried there and
 * what is left.  What is tried next is at the deepest frame at which something is left.
 *
 * Ownership: the caller owns the struct; trail_release frees what it holds.
 */
#ifndef EXPLORE_TRAIL_H
#define EXPLORE_TRAIL_H

#include "explore/search.h"

/* The state before a step, and what is tried from there. */
struct trail_frame {
	struct baton_choice choice; /* now */
	uint16_t branches;	    /* of the chosen operation */
	uint16_t first_branch;	    /* when they have gone round, all were tried */
	bool yields;
	uint32_t preemptions; /* up to it, itself left out */
	struct baton_set enabled;
	struct baton_set done; /* tried with all that follows */
	struct baton_set todo; /* DPOR: tried, or to be tried */
	struct baton_set
		sleep; /* DPOR: what begins with these was looked at from an earlier frame */
};

/* Goes on to the next thread at the frame, which stands at `at'.  False: none is left. */
typedef bool trail_next(void *arg, size_t at, struct trail_frame *f);

struct trail {
	VEC(struct trail_frame) frames;
	/* Private.  A guess at what comes next: a frame, one behind where it stands, and what leads to it. */
	struct trail_frame guess;
	size_t guess_at;
	VEC(struct baton_choice) prefix;
};

void trail_release(struct trail *t);

/* Goes on to the next value of a choice, or the next thread.  False: none is left. */
bool trail_advance(struct trail_frame *f, size_t at, trail_next *next, void *arg);
/* This thread is tried; what it is about to do shows when it has run. */
void trail_choose(struct trail_frame *f, uint32_t thread);
/* All choices, as the runner takes them. */
void trail_put(const struct trail *t, struct baton_choice *choices);

/* The nth of what is left, the deepest first, as explore_runner.guess has it; what is found stands at
 * guess_at - 1 then. */
bool trail_guess(struct trail *t, uint32_t nth, trail_next *next, void *arg,
		 struct search_ask *ask);

#endif /* EXPLORE_TRAIL_H */
