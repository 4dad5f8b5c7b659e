/*
 * The independent checker: is this order a run that the recording proves possible, and does it
 * lead to what is claimed?
 *
 * One pass over the order with a map of memory, of locks and of threads; doc/WITNESS.md has the
 * rules.  Properties it evaluates along the order itself, by witness/view.h and witness/judge.h.
 * It shares with the engines nothing but the trace reader and the parser of specs, and is written
 * for plainness, not for speed.
 */
#ifndef WITNESS_CHECK_H
#define WITNESS_CHECK_H

#include "finding/finding.h"

struct evidence;
struct foresee_monitor;
struct view;

struct check_claim {
	enum finding_kind kind;
	const uint64_t *targets; /* positions */
	uint32_t ntargets;
	/* Positions in order.  May or may not end with the targets themselves; of a property it does, and
	 * of atomicity it holds them. */
	const uint64_t *order;
	size_t norder;
	/* Reads that may see another write as the last event of their thread.  NULL: the targets. */
	const uint64_t *stray;
	size_t nstray;
	enum finding_block block; /* ATOMICITY */
	bool strict;		  /* every read binds */
	bool values;		  /* a read may see any write of the same value */
	/* PROPERTY, PROPERTY_ERROR: what the spec sees, of the whole trace; the property's name; where
	 * a plug-in has it, its functions.  Those are not made for several threads: one such claim at
	 * a time. */
	const struct view *view;
	const char *property;
	const struct foresee_monitor *plugin;
};

struct check_verdict {
	bool certified;
	bool dep;	   /* holds by the dependency-aware model only: some read was tainted */
	bool observed;	   /* the order is the recorded run itself, which needs no other proof */
	bool doubtful;	   /* no more than a warning */
	const char *doubt; /* why, in words; static */
	/* Not certified, or doubtful: the event at which a rule broke, 0 none in particular; and the
	 * rule, in words. */
	uint64_t pos;
	char what[300];
	struct finding_split split; /* ATOMICITY, certified */
	VEC(uint64_t) stray;   /* targets and last reads that see another write than observed */
	VEC(uint64_t) tainted; /* free reads in the order whose value may differ */
};

struct checker;
/* The evidence is borrowed.  One checker serves any number of claims, one at a time. */
struct checker *checker_new(const struct evidence *ev);
void checker_free(struct checker *c);
void checker_run(struct checker *c, const struct check_claim *claim, struct check_verdict *out);
void check_verdict_release(struct check_verdict *v);

/* Is the first a free, and the second a later event about some of the same bytes, or an object in them,
 * with nothing new there?  Then the recorded run used what was free. */
bool check_stale(const struct evidence *ev, uint64_t free, uint64_t use);

/* Tables of what the events of each thread need, for claims whose order is a cut of the recorded run in
 * observed order: most are certified without walking it.  The evidence is borrowed.  Read-only once made. */
struct check_cuts *check_cuts_new(const struct evidence *ev);
void check_cuts_free(struct check_cuts *k);
/* The claim, whose order is that of the schedule, is certified, and out is what checker_run would
 * say; or false: walk it. */
bool checker_run_cut(struct checker *c, const struct check_cuts *k, const struct check_claim *claim,
		     const struct schedule *s, struct check_verdict *out);

/* The positions of a schedule, one by one, into out (appended).  False: it names events that the
 * evidence does not hold. */
struct check_order {
	VEC(uint64_t) at;
};
bool check_expand(const struct evidence *ev, const struct schedule *s, struct check_order *out);

#endif /* WITNESS_CHECK_H */
