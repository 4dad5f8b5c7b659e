/*
 * A report as JSON, version 1: one object, one line.  doc/man/foresee-check.1 lists the members.
 */
#ifndef REPORT_FINDINGS_JSON_H
#define REPORT_FINDINGS_JSON_H

#include "base/common.h"

struct finding;
struct report;

/* A witness longer than this is given by its length alone; so is one longer than its share of what
 * all of a report may have. */
#define FINDINGS_JSON_ORDER 100000
#define FINDINGS_JSON_ORDERS 2000000

void findings_json_print(const struct report *r, FILE *to);

/* The members of a finding's object, all but the number: report/kept.h keeps them. */
void findings_json_members(const struct report *r, const struct finding *f, FILE *to);
/* The object, from these. */
void findings_json_object(uint32_t id, const char *members, FILE *to);

#endif /* REPORT_FINDINGS_JSON_H */
