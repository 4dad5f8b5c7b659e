/*
 * Findings as text for a person at a terminal: what, where, under which locks, in which order,
 * how sure, what to type next; at the end what was looked at and how far.
 */
#ifndef REPORT_EXPLAIN_H
#define REPORT_EXPLAIN_H

#include <stdbool.h>
#include <stdio.h>

struct report;

void explain_print(const struct report *r, bool color, FILE *to);

#endif /* REPORT_EXPLAIN_H */
