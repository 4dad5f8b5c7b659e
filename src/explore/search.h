/*
 * A search of a program's schedules: what its strategies have in common.
 *
 * Every strategy asks for runs by search_run, which counts them, looks at how they ended, keeps the
 * failures, each once, and says when to stop.  The same seed and the same program give the same runs.
 *
 * Ownership: the caller owns the struct; runner and context are borrowed.
 */
#ifndef EXPLORE_SEARCH_H
#define EXPLORE_SEARCH_H

#include "explore/runner.h"

enum search_end {
	SEARCH_WHOLE,	/* everything that the strategy has to look at was looked at */
	SEARCH_PARTLY,	/* all but what runs hid that went astray, were too long, or hung */
	SEARCH_FOUND,	/* a failure, and the first is to stop it */
	SEARCH_BUDGET,	/* the caller does not keep on, or a run was late */
	SEARCH_TROUBLE, /* nothing can be run; the diag says why */
};

/* The next run, or a guess at one; limit and frozen are the search's own. */
struct search_ask {
	enum baton_policy policy;
	uint32_t nprefix; /* of the runner's choices, unless it is a guess */
	uint64_t seed;
	struct baton_set sleep;
	uint32_t nchanges;
	const uint32_t *changes;
	const struct baton_choice *prefix; /* of a guess */
	bool is_attempt; /* the prefix is of no run before: that it cannot be followed says nothing */
};

struct search_failure {
	VEC(struct baton_choice) schedule; /* of all its steps */
	uint32_t nprefix; /* with so many of them given the rest follows, each thread going on */
	bool is_short;	  /* no other has fewer preemptions, as far as was looked */
	uint64_t signature;
	const char *strategy;
	uint64_t run; /* of the search, from 1 */
	uint32_t outcome;
	int ended; /* as waitpid says */
	struct explore_verdict verdict;
	uint32_t preemptions;
	uint32_t times; /* seen so often */
	/* Words came to be shared in this run: more are steps in the next, which the schedule does not
	 * know.  It goes when the failure is seen again. */
	bool is_stale;
};

struct search {
	struct explore_runner *runner;
	void *context;
	/* Before each run; NULL: for ever. */
	bool (*keeps_on)(void *context, const struct search *s);
	/* Of the last run; NULL: search_is_failure.  mark, 0 before, tells failures of one outcome
	 * apart. */
	bool (*is_failure)(void *context, const struct explore_runner *r, uint64_t *mark);
	bool goes_on; /* after a failure */
	uint64_t seed;
	uint32_t limit; /* of steps; 0: all there is room for */
	struct baton_set frozen;
	const char *strategy; /* now */
	/* What it may ask for next, as explore_runner.guess; NULL: not known. */
	bool (*guess)(void *arg, uint32_t nth, struct search_ask *ask);
	void *guess_arg;

	/* Out. */
	uint64_t runs;
	uint64_t outcomes[BATON_OUTCOMES]; /* runs by how they ended */
	uint64_t grown;			   /* runs in which words came to be shared */
	uint32_t longest, threads;	   /* the most steps and threads of a run */
	bool last_failed;
	uint64_t last_signature;	     /* if it has */
	VEC(struct search_failure) failures; /* in the order of their runs */
};

void search_release(struct search *s);

/* What tells one failure from another: how it ended, and where. */
uint64_t search_signature(const struct explore_runner *r, uint64_t mark);

/* A deadlock, a signal, a status that is not 0, what the program itself has found. */
bool search_is_failure(void *context, const struct explore_runner *r, uint64_t *mark);

/* The last run, of which the first nprefix steps tell the rest: it is counted, and kept if it is a
 * failure.  Of runs by search_run that is done already. */
enum search_end search_take(struct search *s, uint32_t nprefix);

/* One run.  SEARCH_WHOLE: go on. */
enum search_end search_run(struct search *s, const struct search_ask *ask, struct diag *d);

/* Is this step one before which another thread was stopped that could and would have gone on? */
bool search_is_preemption(const struct baton_step *steps, uint32_t i);
uint32_t search_preemptions(const struct baton_step *steps, uint32_t n);

/* The next value of a choice, of which all are tried before another thread is.  False: there is none. */
bool search_next_branch(struct baton_choice *c, uint16_t branches, uint16_t first);

/* Did the run come to an end of its own, a deadlock included? */
bool search_is_whole(const struct explore_runner *r);

#endif /* EXPLORE_SEARCH_H */
