/*
 * Takes the events of an order out of a trace, with what a plan needs to know of them: which thread
 * made which, which pieces are one call, which block of memory it was.
 */
#ifndef REPLAY_COLLECT_H
#define REPLAY_COLLECT_H

#include "base/common.h"

struct draft;
struct plan_ask;
struct trace;

/* Into an empty draft.  Reads no further than needed. */
enum status collect_events(struct trace *t, const struct plan_ask *ask, struct draft *out,
			   struct diag *d) ST_CHECKED;

#endif /* REPLAY_COLLECT_H */
