/*
 * What the first events of a thread need of other threads, so that it can be asked of a cut at once.
 */
#ifndef WITNESS_CHECK_NEEDS_H
#define WITNESS_CHECK_NEEDS_H

#include "base/map.h"
#include "base/vec.h"
#include "finding/schedule.h"
#include "witness/evidence_priv.h"

/* Events from number `index' of a thread on need the first `count' events of another. */
struct need {
	uint32_t index, count;
	uint32_t seat; /* of the other */
};

/* All needs before step number `step', by seat. */
struct sample {
	uint32_t step;
	uint32_t nseats;
	size_t row; /* in rows */
};

/*
 * What a thread needs of the others, which have seats in the order in which it first needed them.
 *
 * To look at the needs of its first events is to look at one sample and the steps after it.  One is made
 * when as many steps have come as there are seats, so all of them take no more room than the steps.
 */
struct needs {
	VEC(uint32_t) others;	/* by seat */
	VEC(uint32_t) latest;	/* by seat: count, while the tables are made */
	VEC(struct need) steps; /* indices ascend, and so do the counts of a seat */
	VEC(struct sample) samples;
	VEC(uint32_t) rows;
};

/* The event needs the first `count' events of another thread; indices ascend.  seats: one for all threads,
 * while the needs are gathered. */
void check_needs_add(struct needs *n, struct map *seats, const struct evidence_item *it,
		     uint32_t other, uint32_t count);
void check_needs_release(struct needs *n);
/* What the first `count' events of the thread need of others is in. */
bool check_needs_hold(const struct needs *n, uint64_t count, const struct schedule *s);

#endif /* WITNESS_CHECK_NEEDS_H */
