/*
 * Findings as text for a person at a terminal: what, where, under which locks, in which order,
 * how sure, what to type next; at the end what was looked at and how far.
 */
#ifndef REPORT_EXPLAIN_H
#define REPORT_EXPLAIN_H

#include "base/common.h"

struct finding;
struct report;

#define EXPLAIN_FULL 20	    /* findings that are told in full; the others get a line each */
#define EXPLAIN_SAME_NAME 3 /* of these on one variable */

struct explain_options {
	bool color;
	bool all;   /* every finding in full */
	bool hints; /* what to type next */
	int width;  /* of the terminal, in characters */
};

void explain_print(const struct report *r, const struct explain_options *opt, FILE *to);

/* One finding in full, and in a line, from after its number on: report/kept.h keeps that. */
void explain_finding(const struct report *r, const struct explain_options *opt,
		     const struct finding *f, struct strbuf *full, struct strbuf *line);
/* "data race on x, a.c:10 in f and b.c:20 in g (predicted, certified)" */
void explain_headline(const struct report *r, const struct finding *f, struct strbuf *out);

#endif /* REPORT_EXPLAIN_H */
