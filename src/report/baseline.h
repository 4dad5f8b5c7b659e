/*
 * An earlier report, as JSON: what somebody knows of already.  Findings are the same that have one fingerprint
 * (report/fingerprint.h), and as many of them as there were then.
 *
 *	struct baseline *b;
 *	baseline_read(path, &b, &d)		refuses what is no report, or one of a newer foresee
 *	baseline_begin(b)
 *	baseline_take(b, fingerprint)		for each finding: was it there?  One less of its kind is left
 *	baseline_gone(b, &n)			then: what was there, and is no more
 *
 * Ownership: the caller frees it; strings live as long.
 */
#ifndef REPORT_BASELINE_H
#define REPORT_BASELINE_H

#include "base/common.h"

struct baseline;
struct json;

/* A finding of that report. */
struct baseline_finding {
	const char *fingerprint;
	const char *kind, *summary; /* "": it does not say */
	bool taken;		    /* it is still there */
};

/* "-": standard input. */
enum status baseline_read(const char *path, struct baseline **out, struct diag *d) ST_CHECKED;
void baseline_free(struct baseline *b);
const char *baseline_path(const struct baseline *b);

/* Nothing is taken: for another report. */
void baseline_begin(struct baseline *b);
bool baseline_take(struct baseline *b, const char *fingerprint);

/* All of them, in the order of that report. */
size_t baseline_count(const struct baseline *b);
const struct baseline_finding *baseline_at(const struct baseline *b, size_t i);
/* How many are gone. */
size_t baseline_gone(const struct baseline *b);

/* {"fingerprint": ..., "kind": ..., "summary": ...} */
void baseline_finding_json(const struct baseline_finding *f, struct json *j);
/* "baseline": {"path": ..., "known": 2, "gone": [...]} */
void baseline_json(const struct baseline *b, struct json *j);
/* The same in words, a line each of what is gone. */
void baseline_format(const struct baseline *b, struct strbuf *out);

#endif /* REPORT_BASELINE_H */
