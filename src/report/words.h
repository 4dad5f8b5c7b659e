/*
 * The parts of a finding in words: threads, places, operations, what an access is of.  Text and
 * JSON take them from here, so that they say the same.
 */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "finding/finding.h"
#include "finding/suppress.h"
#include "witness/evidence.h"

struct trace;

#define WORDS_PLURAL(n) ((n) == 1 ? "" : "s")

/* T2 "worker" */
void words_thread(const struct trace *t, uint32_t tid, struct strbuf *out);
/* "write", "atomic read" ... */
const char *words_op(const struct evidence_event *e);
/* The same of a target, in one or two words that JSON has, too: "lock", "read lock", "join",
 * "wait", "signal". */
const char *words_target(const struct evidence_event *e);
/* A name without the file in front of a static one. */
const char *words_brief(const char *name);

/* What the access at pos is of, from its object and its site: "account.balance",
 * "table+24 (entry.count)"; for a FREE the object. */
void words_object(const struct evidence *ev, uint64_t pos, struct strbuf *out);
/* What a finding is about.  A race: the better of the names that the targets give it.  A property:
 * its name.  Others: their locks and conditions, with commas. */
void words_subject(const struct evidence *ev, const struct finding *f, struct strbuf *out);

/* Locks and conditions of threads that wait, around its cycle from the first event on.
 * The names are the evidence's. */
struct words_objects {
	const char *at[FINDING_EVENTS];
	uint32_t n;
};
void words_objects(const struct evidence *ev, const struct finding *f, struct words_objects *out);

/* All names that a suppression may look at.  Strings of the trace and the evidence are borrowed;
 * `subject' is the caller's. */
void words_names(const struct evidence *ev, const struct finding *f, const char *subject,
		 struct suppress_names *out);
void words_names_release(struct suppress_names *names);

/* What it is called; NULL: it has no name. */
const char *words_block_name(const struct evidence *ev, uint64_t first);
/* "transfer (block at a.c:10)", or "the block at a.c:10"; first: its first event. */
void words_block(const struct evidence *ev, uint64_t first, struct strbuf *out);
/* Of one that nobody marks, from a to c: "withdraw (a guess)", by the function that both lie in. */
void words_guess(const struct evidence *ev, uint64_t a, uint64_t c, struct strbuf *out);

#endif /* REPORT_WORDS_H */
