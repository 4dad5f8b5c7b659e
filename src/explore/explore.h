/*
 * Exploration: the real program, run in one schedule after the other, until one goes wrong or none is
 * left.
 */
#ifndef EXPLORE_EXPLORE_H
#define EXPLORE_EXPLORE_H

#include "explore/aim.h"
#include "explore/dpor.h"
#include "explore/search.h"
#include "explore/server.h"
#include "launch/launch.h"

struct trace;

enum explore_strategy {
	EXPLORE_AUTO,	 /* all of them, in this order */
	EXPLORE_GUIDED,	 /* in the windows of what a first run warns of */
	EXPLORE_RANDOM,	 /* each step at random */
	EXPLORE_POS,	 /* a random priority for each operation */
	EXPLORE_PCT,	 /* a random priority for each thread, with a few changes */
	EXPLORE_BOUNDED, /* with 0, 1, 2, ... preemptions */
	EXPLORE_DPOR,	 /* every order that matters, once */
};

struct explore {
	const char *path;
	char **argv;
	const char *directory; /* NULL: here */
	enum explore_strategy strategy;
	uint64_t runs;	/* at most */
	double seconds; /* at most */
	uint64_t seed, bound;
	uint32_t jobs;		/* runs at once, at most POOL_LANES */
	struct judge_wish wish; /* what runs are judged by */
	const char *from;	/* a recording that guides the search; NULL: of a first run */
	bool has_window;	/* guided: in this one, and not in those of the warnings */
	struct baton_set window;
	bool no_fibers; /* each run is done by a process of its own */
	bool all;	/* goes on after the first failure */
	bool all_accesses;
	bool quiet;
	const char *schedule; /* where the schedule goes; NULL: PROG.schedule */
	bool passing;	      /* the program goes with this run: compiled from source */
};

/* A failure, run again in its shortest schedule. */
struct explore_failure {
	const struct search_failure *found;
	VEC(struct baton_step) steps;
	size_t ntold; /* of them, by the schedule; beyond it each thread runs on while it can */
	VEC(struct baton_op) pending; /* at the end, by thread; BATON_NONE: it has ended */
	uint32_t preemptions;
	uint32_t outcome;
	struct explore_verdict verdict;
	struct baton_fault fault;
	struct launch_end end;
	bool again;		  /* it ended in the same way when it was run again */
	uint32_t running, unseen; /* at its end, as in struct baton_head */
	bool is_race;
	uint32_t race[2]; /* its steps */
	struct trace *trace;
	char *schedule; /* the file; NULL: not written */
	bool passing;	/* the program is gone by then */
	char *said;	/* by the oracle, if it has found fault; else NULL */
	struct property_fault property;
};

struct explore_result {
	struct search search;
	enum search_end end; /* of the last strategy */
	bool complete;	     /* all schedules were run, but for those that make no difference */
	bool forked;	     /* the program has made processes, which are not explored */
	bool stood; /* all waited for a signal of somebody else, in some run: he decides in which */
	uint32_t absent;  /* a thread of the window that was asked for and is in no run; 0: none */
	uint32_t outside; /* BATON_OUTSIDE_...: what all runs share, and some have touched */
	bool sandbox;	  /* each has run in a directory of its own */
	bool unlike;	  /* a run by fibers was another one by a process: nothing is complete */
	bool stopped;	  /* by who runs us, before its end */
	bool late;	  /* time ran out */
	uint64_t unnamed; /* races that were found on the way, and not run again for lack of time */
	bool unjudged;	  /* whether a property holds was not known of some */
	const char *why_unjudged; /* the property's own */
	bool awaited;		  /* loops that wait for other threads were taken to wait */
	uint32_t bound;		  /* all with fewer preemptions than this were run */
	double missed; /* PCT: how likely at most it is to have missed a bug of this depth; depth 0: not run */
	uint32_t depth;
	uint64_t traces; /* orders that make a difference, when all were run */
	double seconds;
	struct aims
		aims; /* of the first run, if it was recorded; or of a recording that was given: */
	bool is_given;
	VEC(struct search_failure) races; /* found on the way, one for every two sites */
	VEC(struct explore_failure) failures;
	char trouble[sizeof(((struct baton_head *)0)->trouble)]; /* why runs could not go on */
	struct search_failure hung; /* the first run that had no end, or in which a step had none */
	struct explore_failure hung_at;
};

enum status explore_program(const struct explore *e, struct explore_result *out,
			    struct diag *d) ST_CHECKED;
/* Runs a schedule file once more, with argv, or NULL: the program that it is of.  record: where the
 * recording goes; NULL: nowhere.  gdb: then once again, with a debugger where it fails.  *same: it ended
 * as the file says. */
enum status explore_schedule(const char *path, char **argv, const char *record, bool gdb,
			     struct explore_failure *out, bool *same, struct diag *d) ST_CHECKED;
void explore_failure_release(struct explore_failure *f);
void explore_result_release(struct explore_result *r);

#endif /* EXPLORE_EXPLORE_H */
