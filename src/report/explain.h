/*
 * Findings as text for a person at a terminal: what, where, under which locks, in which order,
 * how sure, what to type next; at the end what was looked at and how far.
 */
#ifndef REPORT_EXPLAIN_H
#define REPORT_EXPLAIN_H

#include <stdbool.h>
#include <stdio.h>

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

#endif /* REPORT_EXPLAIN_H */
