/*
 * A report as JSON, version 1: one object, one line.  doc/man/foresee-check.1 lists the members.
 */
#ifndef REPORT_FINDINGS_JSON_H
#define REPORT_FINDINGS_JSON_H

#include <stdio.h>

struct report;

/* A witness longer than this is given by its length alone. */
#define FINDINGS_JSON_ORDER 100000

void findings_json_print(const struct report *r, FILE *to);

#endif /* REPORT_FINDINGS_JSON_H */
