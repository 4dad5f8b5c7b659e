/*
 * A finding forced on the program: the plan is made, the program is run under it, once or with the
 * two orders of a race, and what came of it is kept for a report (replay/tell.h).
 *
 * Ownership: the caller owns the structs; replay_result_release frees what a result holds.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "replay/claim.h"
#include "replay/outcome.h"
#include "replay/plan.h"
#include "replay/supervise.h"

struct trace;

#define REPLAY_BOTH (-2) /* of a race: one order, then the other */

struct replay {
	const char *trace; /* the recording */
	struct claim
		*claim; /* opened; it outlives the result, but is replayed once if it has a tape */
	char **argv;	/* another command line than the recorded one; NULL: that */
	const char *record; /* where the recording of the (first) run is kept; NULL: nowhere */
	const char *beside; /* a command that goes along with each run; or NULL */
	double patience, time;
	int first;	/* as in struct supervise, or REPLAY_BOTH */
	bool gdb;	/* a debugger at the point; first is SUPERVISE_STOP */
	bool steps;	/* gdb: and before each step of the schedule; the claim is stepped */
	bool anyway;	/* though the program is another build */
	bool real_time; /* who sleeps sleeps, before the point as well */
	bool quiet;
};

/* One run. */
#define REPLAY_RUNS 4

struct replay_run {
	int tries; /* so often was it run until it did not diverge, or had been given up */
	struct supervise_result result;
	struct trace *trace;	/* of this run; NULL: it left none (scratch_learn reads it) */
	struct outcome outcome; /* of the run from the point on */
};

struct replay_result {
	struct trace *recorded; /* the claim's */
	struct plan plan;
	const char *program; /* that was run */
	/* Of a race: one order, the other; if they differ, each once more. */
	struct replay_run runs[REPLAY_RUNS];
	int nruns;
	/* Private. */
	char *path, **argv, *arguments;
};

/*
 * ST_BAD_INPUT: this claim cannot be replayed; ST_IO: the program cannot be run.  The diag says why.
 * ST_OK: it was tried.
 */
enum status replay_try(const struct replay *o, struct replay_result *out,
		       struct diag *d) ST_CHECKED;
void replay_result_release(struct replay_result *r);

/* The order, 0 or 1, of which two runs differ as much as the orders do: that may have another cause.
 * -1: neither. */
int replay_fickle(const struct replay_result *r);

/* It was done as predicted. */
bool replay_succeeded(const struct replay_result *r);

#endif /* REPLAY_REPLAY_H */
