/*
 * A short name of a finding that survives edits elsewhere in the program: a hash of its kind, of what it is
 * about, and of what is done there in which functions.  Lines, addresses and numbers of threads are no part of it.
 * Who keeps a report (report/baseline.h) finds the same bug again by it, in another build.
 *
 * Two findings may have one fingerprint: the same is done twice in a function.
 */
#ifndef REPORT_FINGERPRINT_H
#define REPORT_FINGERPRINT_H

#include "finding/finding.h"

struct report;

#define FINGERPRINT 17 /* digits, and the NUL */

void fingerprint(const struct report *r, const struct finding *f, char out[FINGERPRINT]);

/* The name of an object without what differs from run to run: blocks are numbered as they come, and elements of
 * an array are one place.  "heap#7+16" is "heap#+16", "forks[3]" is "forks". */
void fingerprint_object(const char *name, struct strbuf *out);

#endif /* REPORT_FINGERPRINT_H */
