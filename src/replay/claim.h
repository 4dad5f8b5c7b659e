/*
 * What is to be replayed: a finding, by its number in the report of `foresee check', or a witness.
 * Either way the checker has accepted the order; of a warning with a doubt, which the replay settles or
 * not.
 *
 * Ownership: the caller owns the struct; claim_release frees what it holds.
 */
#ifndef REPLAY_CLAIM_H
#define REPLAY_CLAIM_H

#include "base/common.h"
#include "finding/finding.h"

struct analyse;
struct evidence;
struct tape;
struct pass;
struct report;
struct trace;
struct view;

/* An event of the order before which somebody may want to stop. */
struct claim_step {
	uint64_t pos;
	char *words;	/* "T2  lock log_lock  audit.c:23 in log_line" */
	char *function; /* "log_line"; NULL: not known */
};

struct claim {
	bool stepped; /* in: the steps are wanted */
	/* The recording.  Read to its end, if `tape' has its events; else not read yet. */
	struct trace *trace;
	struct tape *tape;
	enum finding_kind kind;
	uint32_t id; /* 0: from a witness */
	VEC(uint64_t) targets, order;
	uint32_t tids[FINDING_EVENTS], sites[FINDING_EVENTS]; /* of the targets, as recorded */
	char *variables[FINDING_EVENTS]; /* and what they touch, "table[3]"; NULL: it has no name */
	/* Names of the locks that each target's thread has there, outermost first, and of what it is
	 * about; NULL: one without. */
	VEC(char *) held[FINDING_EVENTS];
	char *own[FINDING_EVENTS];
	VEC(uint64_t) looks; /* of a property: events of the order that the spec looks at */
	VEC(struct claim_step) steps; /* those that the report shows */
	char *title;		      /* "data race on x, a.c:10 in f and b.c:20 in g" */
	char *subject;		      /* "x" */
	char *property;		      /* its name, or NULL */
	char *states; /* of a property: what the report shows of the run, lines; or NULL */
	char *json;   /* what the report says of it, members of an object; NULL: a witness */
};
void claim_release(struct claim *c);

/* Opens the trace of a claim.  ST_BAD_INPUT: nothing of it can be replayed; the diag says why. */
enum status claim_open(struct claim *c, const char *trace, struct diag *d) ST_CHECKED;

/*
 * Number id of the report that `a' would make of the trace.  ST_BAD_INPUT: there is none, or it is
 * none that could be replayed; the diag says why, unless it is empty: then a message was printed.
 */
enum status claim_find(struct analyse *a, const char *trace, uint64_t id, struct claim *out,
		       struct diag *d) ST_CHECKED;

/* The witness at path, checked against the trace; of `a' the spec, plug-ins and models count. */
enum status claim_read(const struct analyse *a, const char *trace, const char *path,
		       struct claim *out, struct diag *d) ST_CHECKED;

/* Only what has an order can be forced.  False: the diag says why. */
bool claim_is_fit(const struct finding *f, uint64_t id, struct diag *d);
/* A finding that is fit, while what it was found by is there; its trace is not opened. */
void claim_take(const struct pass *p, const struct finding *f, struct claim *out);

/* For both: words for f, and the looks of the view, if it is about a property. */
void claim_describe(struct claim *c, const struct report *r, const struct finding *f,
		    const struct view *view);

#endif /* REPLAY_CLAIM_H */
