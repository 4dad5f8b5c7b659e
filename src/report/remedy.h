/*
 * What can be said about threads that wait for one another, beyond who and where: whether it
 * happened, what hid it, what would prevent it.  All of it holds of the recorded run; where that
 * does not tell, nothing is said.
 */
#ifndef REPORT_REMEDY_H
#define REPORT_REMEDY_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "report/cycle.h"

struct evidence;
struct finding;

/* The recorded run ended so.  whole: the evidence holds all of it. */
bool remedy_happened(const struct evidence *ev, const struct finding *f, const struct cycle *c,
		     bool whole);

/* What was different in the observed run, as a clause: "in the observed run T1 locked b (:12)
 * before T2 did". */
void remedy_hidden(const struct evidence *ev, const struct finding *f, const struct cycle *c,
		   struct strbuf *out);

/* A sentence about what would prevent it; nothing when nothing near is known to. */
void remedy_format(const struct evidence *ev, const struct finding *f, const struct cycle *c,
		   struct strbuf *out);

/* WAIT_HOLDING: the first signal of the condition by the thread that wants the lock, after that.
 * False where the evidence does not reach so far. */
bool remedy_signal(const struct evidence *ev, const struct cycle *c, struct evidence_event *out);

#endif /* REPORT_REMEDY_H */
