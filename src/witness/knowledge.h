/*
 * Properties about knowledge (mttl) along one run, by the definitions of doc/MONITORS.md: what comes before each
 * event is kept as a set, and a formula is asked of the state of a thread with nothing remembered.  The checker's own:
 * it knows nothing of src/know and of monitor/, which find violations.
 *
 * Ownership: evidence and view, which have seen the whole trace, are borrowed.
 * Threads:   belongs to one.
 */
#ifndef WITNESS_KNOWLEDGE_H
#define WITNESS_KNOWLEDGE_H

#include "witness/evidence.h"
#include "witness/judge.h"
#include "witness/view.h"

struct knowledge;

/* Of so many events at most. */
struct knowledge *knowledge_new(const struct evidence *ev, const struct view *v, uint64_t events);
void knowledge_free(struct knowledge *k);

/* The event comes next in the run. */
void knowledge_take(struct knowledge *k, uint64_t pos);
/* Of the state that the last event has led its thread to: GOOD also if it led to none, or the property is not about
 * that thread.  UNKNOWN: knowledge_trouble says why. */
enum judge_verdict knowledge_ask(struct knowledge *k, const struct spec_property *p);
/* How much was asked so far: formulas, each in a state. */
uint64_t knowledge_work(const struct knowledge *k);
const char *knowledge_trouble(const struct knowledge *k);

#endif /* WITNESS_KNOWLEDGE_H */
