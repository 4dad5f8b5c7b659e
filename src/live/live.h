/*
 * Analysis of a recording while it is being made: a process beside the run (launch/side.h) that looks at
 * the growing file in rounds, and tells of a finding as soon as it is certified.
 *
 * A round is the ordinary analysis (analyse/pass.h) of the file as it is now, read as if the program
 * had been killed at this moment.  What it may tell are findings whose proof does not depend on how
 * the run goes on.  A recording that is too big for one look is looked at through windows between
 * cuts that overlap by half (recording/windows.h), so memory is bounded.
 *
 *	struct live *l = live_start(&a, path, &opt);	after analyse_begin; the file may come later
 *	...						the run
 *	live_end(l, &a);				when nothing is written to the file any more
 *	status = analyse_trace(&a, path);		the report: as `check' makes it, with what was
 *							found in parts that are gone by now
 *
 * Whatever happens to that process, the run goes on and analyse_trace works.
 */
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include "base/common.h"

struct analyse;
struct kept;
struct live;

struct live_options {
	/*
	 * Told of each new finding, in the process beside: k->summary is one line, k->text all of it
	 * as in a report (report/kept.h).  NULL: "foresee: live: ..." on stderr, unless a->quiet.
	 */
	void (*tell)(void *arg, const struct kept *k);
	void *arg;
	bool remote; /* the program runs elsewhere: its number means nothing here */
};

/* NULL: there is no such process; that was said, and all functions here take it.  `a' and `trace'
 * are borrowed until live_end. */
struct live *live_start(const struct analyse *a, const char *trace, const struct live_options *opt);

/* Ends it, at once; frees l.  What it found goes to a->earlier, for analyse_trace. */
void live_end(struct live *l, struct analyse *a);

#endif /* LIVE_LIVE_H */
