/*
 * A reordering of the recorded run, compactly: first a cut of it in observed order, then single
 * events.  Threads and positions are those of the trace, so a schedule means the same to engines,
 * checker and reports, which share nothing else.
 *
 * Ownership: schedule_release frees what it holds.
 */
#ifndef FINDING_SCHEDULE_H
#define FINDING_SCHEDULE_H

#include "base/common.h"

struct schedule {
	VEC(uint64_t) count; /* count.at[tid]: so many first events of the thread, observed order */
	VEC(uint64_t) tail;  /* then these, by position */
};

static inline void schedule_release(struct schedule *s)
{
	VEC_RELEASE_ALL(&s->count, &s->tail);
}

/* How many events of the thread are in the cut. */
static inline uint64_t schedule_count(const struct schedule *s, uint32_t tid)
{
	return tid < s->count.n ? s->count.at[tid] : 0;
}

#endif /* FINDING_SCHEDULE_H */
