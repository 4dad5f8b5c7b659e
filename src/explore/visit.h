/*
 * A debugger in a schedule: gdb is attached where the run fails.
 *
 *	deadlock		everybody waits in the library, and all are shown
 *	signal			at the signal
 *	use after free		before the access
 *	violated property	before the step that violates it
 *	data race		before the two accesses
 *	all else		before the last step of the schedule
 *
 * A run that stands goes on step by step, by commands that gdb is given (capture/baton_halt.c).
 */
#ifndef EXPLORE_VISIT_H
#define EXPLORE_VISIT_H

#include "explore/explore.h"

/* Runs the schedule of f, which has just been run, once more, or as often as the user likes. */
enum status visit_run(struct server *s, const struct server_program *p,
		      const struct explore_failure *f, struct diag *d) ST_CHECKED;

#endif /* EXPLORE_VISIT_H */
