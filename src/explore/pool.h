/*
 * Runs of one program, several at once, for a search that asks for one after the other.
 *
 *	search          asks for A          gets A, asks for B    gets B at once
 *	                |                   |                     |
 *	lane 1          A ................. C ................
 *	lane 2            B, a guess ..............
 *
 * What a run does depends on what is asked of it, and on which words are shared; so whether it was done
 * before it was asked for, beside others or alone makes no difference.  The search gets the same answers in
 * the same order however many lanes there are: it is not told of runs that it has not asked for, and of the
 * words that came to be shared in a run only when it gets that run.  What was done ahead with fewer words
 * is of no use any more, and forgotten.
 *
 * Files and sockets are what runs have in common.  The first run is done alone, and when one has touched such
 * things nothing is done ahead any more.
 *
 * Ownership: the caller owns the struct and the lanes.
 */
#ifndef EXPLORE_POOL_H
#define EXPLORE_POOL_H

#include "explore/runner.h"

#define POOL_LANES 64u /* at most */
#define POOL_PATIENT \
	0.3 /* seconds that a step may take before it is waited for whatever the time */

/* What was asked of a run, in memory that the program cannot write to. */
struct pool_asked {
	uint64_t hash;
	struct explore_ask ask; /* but for these: */
	uint32_t changes[BATON_CHANGES];
	VEC(struct baton_choice) prefix;
};

struct pool_lane {
	struct baton_head *head; /* of its own */
	int ended;
	struct explore_verdict verdict;
	bool is_busy; /* cleared by `wait' */
	bool is_lost; /* it runs no more: set by `start' or `wait', with `why' if somebody knows */
	double since; /* when the step was not seen yet that is under way (talk_clock) */

	/* Private. */
	uint32_t nwords; /* of the pool's words, those it knows */
	bool is_asked;	 /* the search waits for it, or did */
	bool is_stale;	 /* nobody wants what comes out */
	bool is_clean;	 /* its table had nothing but the pool's words when the run began */
	bool is_crowded; /* it must be so in every run */
	struct pool_asked asked;
};

/* What was done ahead. */
struct pool_result {
	struct pool_asked asked;
	uint64_t seen; /* when it was asked for or guessed last; 0: there is none */
	int ended;
	struct explore_verdict verdict;
	struct baton_head head;
	VEC(struct baton_step) steps;
	VEC(uint64_t) news; /* addresses of words that came to be shared */
};

struct pool {
	struct explore_runner runner; /* first; its head is the search's own */
	struct pool_lane *lanes;
	uint32_t nlanes;
	/* Does what the lane's head says; comes back at once. */
	void (*start)(struct pool *p, struct pool_lane *l);
	/* Until one of the lanes that are busy is not, or is lost; may come back before. */
	void (*wait)(struct pool *p);
	struct diag why;  /* a lane was lost */
	uint32_t outside; /* BATON_OUTSIDE_...: what keeps runs from going on side by side */

	VEC(uint64_t)
	words; /* addresses of those that are shared, in the order in which they came to be */

	/* Private. */
	VEC(struct pool_result) ahead;
	uint64_t clock;
	bool is_begun; /* the search has got a run */
	bool is_unlike; /* fibers did not do what a process does, be it in a run that nobody has asked for */
	bool is_wary; /* one run at a time: a lane was lost by a guess, or runs may disturb each other */
};

/* Lanes, nlanes, start, wait and runner.head are set. */
void pool_init(struct pool *p);
void pool_release(struct pool *p);

/* A word is shared. */
void pool_share(struct pool *p, uint64_t at);
/* After a run in the search's own part that was not done by a lane. */
void pool_learn(struct pool *p);
/* Before lanes are used again. */
void pool_forget(struct pool *p);

#endif /* EXPLORE_POOL_H */
