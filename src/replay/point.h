/*
 * The point that a plan leads to: has it been reached, and is it what was predicted?
 *
 * Nothing here believes the recording: what counts are the addresses, locks and states that the
 * threads of this run have, in their seats (trace/plan.h).
 */
#ifndef REPLAY_POINT_H
#define REPLAY_POINT_H

#include "base/common.h"
#include "finding/finding.h"
#include "trace/plan.h"

/* The threads that the finding is about and that stand before their events, as the finding has them. */
struct point_seats {
	uint32_t n;
	uint32_t at[FINDING_EVENTS]; /* seats */
};

/* The target of a thread, the last of its steps; NULL: it has none. */
const struct plan_step *point_target(const struct plan_head *h, uint32_t thread);
/* targets: of the finding. */
void point_find(const struct plan_head *h, const uint64_t *targets, uint32_t ntargets,
		struct point_seats *out);

/* All targets stand, and every thread has finished its part. */
bool point_is_reached(const struct plan_head *h);
/* Has this one? */
bool point_is_over(const struct plan_head *h, uint32_t thread);

/* ---- is it what was predicted?  If not, `why' says it, as a clause ---- */

/* Writes thread i as the user knows it: "T2". */
typedef void point_namer(void *arg, uint32_t thread, struct strbuf *out);
struct point_words {
	point_namer *name;
	void *arg;
	struct strbuf *why;
};

/* Two accesses of the same bytes, one of which writes, and not both atomic. */
bool point_is_race(const struct plan_head *h, const struct point_seats *p, struct point_words *w);

/* Each waits for what the next one has: a lock that it holds, or its end. */
bool point_is_circle(const struct plan_head *h, const struct point_seats *p, struct point_words *w);
/* Whom thread i waits for; of several the first that is a target.  -1: nobody. */
int point_holder(const struct plan_head *h, const struct point_seats *p, uint32_t thread);

/* One waits for a lock that a thread holds whose wait on a condition nobody ends. */
bool point_is_wait_holding(const struct plan_head *h, const struct point_seats *p,
			   struct point_words *w);
/* That thread; -1: none. */
int point_waiter(const struct plan_head *h, const struct point_seats *p);

/* It has the lock, for itself or to read. */
bool point_holds(const struct plan_seat *s, uint64_t lock);
/* A join, not a lock. */
bool point_is_join(const struct plan_op *op);

#endif /* REPLAY_POINT_H */
