/*
 * A trace as a Promela model for SPIN: one process for each chain of threads, whose steps are the
 * recorded events with the guards that every correct reordering keeps, and goals that say "these
 * two conflicting accesses are both next", or "these requests, which wait for one another, are".
 *
 * The model is an independent statement of what a predictable race or deadlock of locks is
 * (doc/man/foresee-export.1): SPIN's exhaustive search and the engines `exact' and `deadlocks' must
 * agree on every one.
 */
#ifndef EXPORT_PROMELA_H
#define EXPORT_PROMELA_H

#include "lattice/causes.h"

struct model;
struct monitors;
struct trace;

/* SPIN's state vector and processes set limits; so does the patience of those who run it. */
#define PROMELA_EVENTS 2000
#define PROMELA_CHAINS 200
#define PROMELA_GOALS 20000

struct promela_options {
	bool strict;	  /* every read keeps its write */
	uint64_t pair[2]; /* positions of the only goal; 0: every one that there could be */
	/* What an event is, for comments, or NULL; the string is good until the next call. */
	const char *(*describe)(void *arg, uint64_t pos);
	void *arg;
};

/* ST_LIMIT when the trace is too long, ST_BAD_INPUT when the pair is no goal. */
enum status promela_write(const struct model *m, const struct promela_options *opt,
			  struct strbuf *out, struct diag *d) ST_CHECKED;

/*
 * A computation lattice as a Promela model for SPIN: one process that counts points by lane.  Its
 * states are the cuts and its transitions the edges, so that SPIN's search states anew what
 * lattice/lattice.h counts.
 *
 *	spin -a MODEL; cc -DSAFETY -DNOREDUCE -o pan pan.c; ./pan -E
 *
 * "states, stored" are the cuts, "transitions" the edges and one.  With spin -DPROPERTY_name the
 * formula of that property runs along, and its assertion fails where a run violates it; states
 * are then cuts with what runs have there.
 *
 * Ownership: copies what it is given; spec, monitors and initial are borrowed.
 */
struct promela_lattice_options {
	enum causes_kind kind;
	const struct monitors *monitors; /* NULL: every event is a point */
	/* What an event is, for comments, or NULL; the string is good until the next call. */
	const char *(*describe)(void *arg, uint64_t pos);
	void *arg;
};

/* Reads the trace to its end: ST_END.  ST_LIMIT: too many points or lanes. */
enum status promela_lattice_write(struct trace *t, const struct promela_lattice_options *opt,
				  struct strbuf *out, struct diag *d) ST_CHECKED;

#endif /* EXPORT_PROMELA_H */
