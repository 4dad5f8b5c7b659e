/*
 * Who runs a schedule: the server of a real program (explore/server.h), or a simulated one in tests.
 *
 * What is asked of the run is set in the head and in the table of choices; when `run' comes back, the
 * head, the steps and `ended' say what it did.
 *
 * A runner that can do several at once asks what may be asked of it next, and does that ahead
 * (explore/pool.h).  A guess that is wrong costs time, and nothing else.
 */
#ifndef EXPLORE_RUNNER_H
#define EXPLORE_RUNNER_H

#include "base/common.h"
#include "trace/baton.h"

/* What was wrong with a run, besides how it ended (explore/judge.h). */
enum explore_fault {
	EXPLORE_NO_FAULT,
	EXPLORE_ORACLE,	  /* a command of the user's says so */
	EXPLORE_PROPERTY, /* one of the user's is violated, or has no value */
	EXPLORE_FREED,	  /* memory that was free was used, or freed again (struct baton_fault) */
};

struct explore_verdict {
	enum explore_fault fault;
	uint64_t mark;	 /* tells faults of one kind apart */
	bool is_unknown; /* whether a property holds is not known */
};

/* All that is asked of a run. */
struct explore_ask {
	enum baton_policy policy;
	uint32_t nprefix, limit;
	uint64_t seed;
	struct baton_set sleep, frozen;
	uint32_t nchanges;
	const uint32_t *changes;
	const struct baton_choice *prefix;
};

struct explore_runner {
	struct baton_head *head;
	int ended; /* as waitpid says; 0 in a run that the runtime ended (outcome) */
	struct explore_verdict verdict;
	double deadline; /* a run that is not done by then is given up (talk_clock); 0: none is */
	bool is_late;	 /* that has happened: the run counts for nothing */
	/* The nth most likely of what comes next; nth is 0, 1, 2, ... until it says false.  What the
	 * ask points to is good until the next call.  NULL: nothing is known. */
	bool (*guess)(void *arg, uint32_t nth, struct explore_ask *ask);
	void *guess_arg;
	/* False, d set: nothing can be run. */
	bool (*run)(struct explore_runner *r, struct diag *d);
};

static inline struct baton_choice *explore_choices(const struct explore_runner *r)
{
	return (struct baton_choice *)((char *)r->head + r->head->choices);
}

static inline const struct baton_step *explore_steps(const struct explore_runner *r)
{
	return (const struct baton_step *)((const char *)r->head + r->head->steps);
}

#endif /* EXPLORE_RUNNER_H */
