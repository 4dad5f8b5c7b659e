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

#include "base/common.h"

struct model;

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

#endif /* EXPORT_PROMELA_H */
