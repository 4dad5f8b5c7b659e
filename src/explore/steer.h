/*
 * A schedule of a finding, which is an order of events of a recorded run, as choices of who takes each step.
 *
 *	run, as recorded	events of T1, T2	1 2 3 4 5 6 7 8
 *				steps				a   b   c d
 *	schedule		events			1 2 6 7 8 3
 *	choices			of whom the steps are	a c d b		(of b: when its event comes)
 *
 * Which step an event belongs to is found by what both say of themselves: thread, site, kind, object, and how
 * many threads there were.  Some steps have no event (a yield, a read of what was read before), and go with the
 * next one of their thread; most events belong to none.  Where the two are matched wrongly the choices lead
 * elsewhere: that costs a run and nothing else, for only what a run has shown is told.
 *
 * Ownership: the caller owns the struct; steer_release frees what it holds.
 */
#ifndef EXPLORE_STEER_H
#define EXPLORE_STEER_H

#include "explore/runner.h"
#include "finding/finding.h"

/* How the runs begin that are steered. */
struct steer_course {
	VEC(struct baton_choice) at;
	uint32_t targets
		[FINDING_EVENTS]; /* which of them are the finding's events, from 1; 0: not known */
};

struct steer_event {
	uint32_t tid, index; /* its number within the thread, from 0 */
	uint32_t step;	     /* from 1; 0: none */
	bool waits;	     /* it cannot be done without waiting for others, or may not */
};

struct steer {
	VEC(struct baton_step) steps;		/* of the recorded run */
	VEC(uint32_t) nth;			/* [step]: its number within its thread */
	VEC(struct steer_event) events;		/* [position] */
	VEC(uint32_t) by_thread[BATON_THREADS]; /* its steps */
};

/* r: after the run that was recorded. */
enum status steer_init(struct steer *s, const struct explore_runner *r, const char *trace,
		       struct diag *d) ST_CHECKED;
void steer_release(struct steer *s);

/* Along the schedule of f up to what it is about, and then into that.  False: it has no schedule. */
bool steer_along(const struct steer *s, const struct finding *f, struct steer_course *out);

#endif /* EXPLORE_STEER_H */
