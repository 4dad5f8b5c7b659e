/*
 * What a thread comes to beyond its part of an order.  Three things of that matter: a wait that has
 * begun goes on (collect.c); the next event, for others may wait until the thread comes to it; and which reads
 * of the part went on.
 *
 * Repeated reads are not in the trace, but for one that closes their run.  Where that is beyond the
 * part, some of the run may be anywhere in it, and they see what they saw: so a write must not come as
 * soon as the first read is over.
 */
#ifndef REPLAY_BEYOND_H
#define REPLAY_BEYOND_H

#include "base/common.h"

struct draft_item;
struct draft_thread;

/* The next event of the thread that is not of its part. */
void beyond_see(struct draft_thread *t, const struct draft_item *it);

/* Is all known that matters?  last: of its part. */
bool beyond_is_known(const struct draft_thread *t, const struct draft_item *last);

#endif /* REPLAY_BEYOND_H */
