/*
 * The parts of a finding in words: threads, places, operations, what an access is of.  Text and
 * JSON take them from here, so that they say the same.
 */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include <stdint.h>

#include "base/strbuf.h"
#include "finding/suppress.h"
#include "witness/evidence.h"

struct finding;
struct trace;

#define WORDS_PLURAL(n) ((n) == 1 ? "" : "s")

/* T2 "worker" */
void words_thread(const struct trace *t, uint32_t tid, struct strbuf *out);
/* "write", "atomic read" ... */
const char *words_op(const struct evidence_event *e);
/* A name without the file in front of a static one. */
const char *words_brief(const char *name);

/* What the access at pos is of, from its object and its site: "account.balance",
 * "table+24 (entry.count)"; for a FREE the object. */
void words_object(const struct evidence *ev, uint64_t pos, struct strbuf *out);
/* The better of the names that the targets give it. */
void words_subject(const struct evidence *ev, const struct finding *f, struct strbuf *out);

/* All names that a suppression may look at.  Strings of the trace and the evidence are borrowed;
 * `subject' is the caller's. */
void words_names(const struct evidence *ev, const struct finding *f, const char *subject,
		 struct suppress_names *out);
void words_names_release(struct suppress_names *names);

#endif /* REPORT_WORDS_H */
