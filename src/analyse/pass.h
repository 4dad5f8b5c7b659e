/*
 * One look at a trace, or at a part of it: both passes, up to findings that are certified, named
 * and settled.  What becomes of them is the caller's: a report (analyse/analyse.h), a line while the
 * program runs (live/live.h).
 *
 *	pass 1   every event to every streaming engine, and to the model if an engine needs one
 *	         the engines' proposals
 *	pass 2   only when there are some: names for the report, and the checker on each (certify.h)
 *	         suppressions
 *
 * Ownership: the caller owns the struct; `a' and the paths are borrowed.
 */
#ifndef ANALYSE_PASS_H
#define ANALYSE_PASS_H

#include "analyse/analyse.h"
#include "analyse/certify.h"
#include "predict/stale.h"
#include "report/ending.h"
#include "report/report.h"

struct model;

struct pass {
	struct analyse *a;
	/* May be set between pass_init and pass_run; certify.how says which part is read. */
	struct certify certify;
	uint32_t limit; /* events of the model; 0: what fits (analyse_limit) */
	/* What came of it. */
	struct findings findings;
	struct texts truncated; /* what was not looked at */
	bool hurried;		/* not all was read (analyse.h: hurry) */
	bool partly_read;	/* for that, or because the user has asked to stop */
	struct report report;
	struct reading reading; /* pass 1 */
	/* Private. */
	void *streams[ANALYSE_ENGINES]; /* engines that take steps, while the trace is read */
	struct report_analysis analyses[ANALYSE_ENGINES];
	bool needs_model, limited;
	bool strange; /* threads were stopped by reads of what unseen code wrote */
	struct model *model;
	VEC(char) seen; /* [tid] */
	struct ending ending;
	struct calls calls; /* with --infer: of the events of the model */
	struct stale stale;
	struct talk_progress progress;
};

/* path: to open; name: what the user calls it. */
void pass_init(struct pass *p, struct analyse *a, const char *path, const char *name);
void pass_release(struct pass *p);

/* ST_OK when there is something to report, be it that a->engine.stop was set on the way. */
enum status pass_run(struct pass *p, struct diag *d) ST_CHECKED;

/* What is certified in a part of a run stays so however it goes on; for findings_keep. */
bool pass_is_lasting(void *none, const struct finding *f);

/* Some analysis keeps the events in memory. */
bool pass_needs_model(const struct analyse *a);

/* settle.c: needs the evidence of all findings in the report. */
void settle_findings(struct pass *p);

/* prove.c: schedules for findings of engines that have none to show.  shb is sound but looks at one event
 * after the other: the search of syncp, which covers it, is asked for each pair.  Lattices keep two levels:
 * the way to a violation is looked for again.
 * m: of all that is read, or NULL: then one is built from the file, as far as it is needed. */
enum status prove_findings(const struct analyse *a, const char *path,
			   const struct trace_options *how, const struct model *m,
			   struct findings *f, struct diag *d) ST_CHECKED;
/* For what the checker has declined, if there is no other finding at those places that it has not: what
 * an exact search says.  True: some have new schedules. */
bool prove_declined(const struct analyse *a, const struct model *m, struct findings *f);

#endif /* ANALYSE_PASS_H */
