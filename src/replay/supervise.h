/*
 * One run of the program under a plan: start it, watch its seats, see the point, let it go on, and
 * say how that ended.
 *
 * The program and we share the plan's file (trace/plan.h).  Its threads do all the waiting; we look,
 * decide whether the point is reached, and set words that let them go.  Whatever the program does, this
 * comes back: what does not move is found out, what only runs gets so much time.
 */
#ifndef REPLAY_SUPERVISE_H
#define REPLAY_SUPERVISE_H

#include "launch/launch.h"
#include "replay/point.h"
#include "replay/task.h"

struct plan;
struct supervise_result;

#define SUPERVISE_PATIENCE 2.0
#define SUPERVISE_TIME 10.0
#define SUPERVISE_STOP (-1)

struct supervise {
	const char *path; /* the program */
	char **argv;
	const char *directory; /* NULL: here */
	const char *options;   /* for the runtime, one a line, besides where the plan is */
	const char *control;   /* where the plan goes: a new file */
	const char *trace;     /* where the run is recorded */
	const char *beside;    /* a command that goes along with it (launch/beside.h); or NULL */
	int in, out, err;      /* as in struct launch */
	const struct plan *plan;
	enum finding_kind kind;
	const uint64_t *targets; /* of the finding */
	uint32_t ntargets;
	double patience; /* seconds that nothing may move */
	double time;	 /* seconds without an event on the way, and to the end behind the point */
	/* Of a race: which of the two goes first, 0 or 1; SUPERVISE_STOP: neither, the point is the end. */
	int first;
	/* Somebody who looks at the program when it is as predicted, before it is ended; or NULL. */
	void (*visit)(void *arg, pid_t pid, const struct supervise_result *x);
	/* Somebody who goes from step to step (plan_step.pace), from before the first one until they have had
	 * enough; or NULL.  False: this run is not wanted any more. */
	bool (*pace)(void *arg, pid_t pid, const struct plan_head *seen);
	void *visit_arg; /* of both */
	/* Of a property: whether its variables hold what was written there; or NULL. */
	bool (*check)(void *arg, pid_t pid, const struct plan_head *h, struct strbuf *why);
	void *check_arg;
	point_namer *name; /* for `why' */
	void *name_arg;
};

enum supervise_end {
	SUPERVISE_REPLAYED, /* the point was reached, and it is as predicted */
	SUPERVISE_REFUTED,  /* it was reached, and it is not: `why' */
	SUPERVISE_DIVERGED, /* the head of `seen' says how */
	SUPERVISE_ENDED,    /* the program ended before it */
	SUPERVISE_STUCK,    /* nothing moves any more */
	SUPERVISE_ENDLESS,  /* threads run, and come to no event of the plan */
	SUPERVISE_SPOILED,  /* it has written over the plan */
	SUPERVISE_DEAF,	    /* the program has not looked at the plan */
	SUPERVISE_ASKED,    /* somebody asked us to stop */
};

/* Behind the point of a race. */
struct supervise_after {
	bool known;	  /* it was gone on from the point */
	bool hung;	  /* nothing moved any more */
	bool late;	  /* it had not ended in time */
	uint8_t bytes[8]; /* that the two touch, when both were done */
	uint32_t nbytes;  /* 0: not known */
};

struct supervise_result {
	enum supervise_end end;
	struct strbuf why;
	double seconds;		/* to the point, or to where it was given up */
	struct plan_head *seen; /* the shared file as it was then */
	size_t size;
	struct point_seats point;
	VEC(struct task) tasks; /* of each seat, then */
	struct launch_end
		process; /* how it ended in the end; killed by us where we had seen enough */
	bool killed;	 /* it was by us */
	/* Lost wakeups: what comes from outside, input or a signal, may still lead to another one. */
	bool open;
	struct supervise_after after;
};

/* ST_IO: it could not be started, or the plan not be written. */
enum status supervise_run(const struct supervise *s, struct supervise_result *out,
			  struct diag *d) ST_CHECKED;
void supervise_result_release(struct supervise_result *r);

#endif /* REPLAY_SUPERVISE_H */
