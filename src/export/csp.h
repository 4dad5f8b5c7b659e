/*
 * A trace as text in CSPM, for FDR and its relatives: the network of compare/csp.h, one process for each
 * thread and for each thing that threads wait for, with an assertion for each variable and pair of
 * threads.  An assertion fails where there is a race; its counterexample is the way there.
 *
 * By default data is no part of it, as in the paper, and what fails is a warning.  Strict: reads keep their
 * writes, and what fails is what `exact --strict' predicts.
 *
 * The same text for the same trace.
 */
#ifndef EXPORT_CSP_H
#define EXPORT_CSP_H

#include "base/common.h"

struct model;

/* Model checkers have few thousand synchronisations in them. */
#define CSP_EVENTS 20000
#define CSP_CHECKS 2000

struct csp_options {
	bool strict;
	const char *variable; /* by name or identifier; NULL: all */
	const char *threads;  /* "T1,T2"; NULL: all pairs */
	/* The event as a line of STD text, which names come from; good until the next call. */
	const char *(*describe)(void *arg, uint64_t pos);
	void *arg;
};

/* ST_LIMIT when the trace is too long for it, ST_BAD_INPUT when there is no such variable or thread. */
enum status csp_write(const struct model *m, const struct csp_options *opt, struct strbuf *out,
		      struct diag *d) ST_CHECKED;

#endif /* EXPORT_CSP_H */
