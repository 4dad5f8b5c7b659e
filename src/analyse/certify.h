/*
 * The second pass over a trace: names for the report, and the checker on every schedule that an
 * engine claims.  Nothing is called predicted before it has passed here.
 *
 * A schedule that the checker refuses is a bug of foresee, never a finding: it is told aloud, its
 * witness is kept, and the finding stays a warning that says so.  Of an engine that only tries
 * (ENGINE_TRIES) it is none: the finding is declined, a warning that says which rule was broken.
 */
#ifndef ANALYSE_CERTIFY_H
#define ANALYSE_CERTIFY_H

#include "monitor/reading.h"
#include "monitor/states.h"
#include "predict/engine.h"
#include "trace/trace.h"
#include "witness/check.h"
#include "witness/view.h"

struct analyse;
struct evidence;

/* Steps of walks over all findings; those beyond it stay warnings, and this is why.  What is
 * certified without a walk (check_cuts) costs none. */
#define CERTIFY_BUDGET 2000000000u
#define CERTIFY_HASTE 20000000u /* from when the user asks for what is known, at most */
extern const char certify_skipped[];

struct certify {
	const struct analyse *a;
	const char *path;
	struct trace_options how; /* which part of it, and how it is read: as in the first pass */
	/* With findings about properties: what the events are to the spec, seen in this reading, for the
	 * report; the checker has a view of its own. */
	struct reading reading;
	struct states_watch seen;
	struct view view;
	struct evidence *evidence;
	uint64_t spent;
	uint64_t hasty;	  /* what may be spent since the user has asked; 0: he has not */
	uint64_t skipped; /* findings that the budget did not reach */
	uint32_t refused;
	uint32_t declined; /* schedules of engines that only try */
	bool whole; /* all of the trace is loaded, and seen by the spec: orders are tried (analyse/foretell.h) */
};

/* Opens and reads the trace once more, as far as the findings need it. */
enum status certify_load(struct certify *c, const struct findings *f, struct diag *d) ST_CHECKED;
void certify_release(struct certify *c);
/* What the spec sees, for the report, or NULL. */
const struct states_watch *certify_watch(const struct certify *c);

/* Sets status, certified, dep, observed, stray, tainted and why of each finding. */
void certify_findings(struct certify *c, struct findings *f);
/* Once more, where schedules have been found since; those that are settled stay so. */
void certify_claims(struct certify *c, struct findings *f);

/* A finding that goes by this order, in which `stray' may see other writes than recorded.  True: it is predicted, and
 * its schedule is the order. */
bool certify_order(struct certify *c, struct finding *x, const struct check_order *order,
		   const uint64_t *stray, size_t nstray);

/* Writes ID.witness for every certified finding.  False after a message. */
bool certify_write(const struct certify *c, const struct findings *f);

#endif /* ANALYSE_CERTIFY_H */
