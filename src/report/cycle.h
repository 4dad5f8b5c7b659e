/*
 * Who waits for whom at the end of a schedule where threads block one another.
 *
 *	at[0] asks for what at[1] holds, at[1] for what at[2] holds, ..., the last for what at[0]
 *	holds
 *
 * The order is found from what the threads hold there; a finding does not say it.
 */
#ifndef REPORT_CYCLE_H
#define REPORT_CYCLE_H

#include "finding/finding.h"
#include "witness/evidence.h"

struct cycle_wait {
	struct evidence_event request; /* a target of the finding */
	uint64_t held; /* the acquire by which the next one holds it; 0: a join, a condition, or not
			* known */
};

struct cycle {
	uint32_t n;
	struct cycle_wait at[FINDING_EVENTS];
	bool closed; /* false: no such circle was found; at[] is in order of the trace */
};

/* Of a finding that is no race.  at[0] is its first event. */
void cycle_find(const struct evidence *ev, const struct finding *f, struct cycle *out);

/* The one that waits for what number i holds. */
uint32_t cycle_before(const struct cycle *c, uint32_t i);
/* The one that number i waits for. */
uint32_t cycle_after(const struct cycle *c, uint32_t i);

/* A request for a lock; for the end of a thread; the release inside a condition wait. */
bool cycle_is_lock(const struct evidence_event *e);
bool cycle_is_join(const struct evidence_event *e);
bool cycle_is_wait(const struct evidence_event *e);
/* The recorded run ended with the thread waiting there. */
bool cycle_is_stuck(const struct evidence_event *e);

/* Same lock, same condition. */
bool cycle_is_same(const struct evidence_event *a, const struct evidence_event *b);

/* The park of a condition wait that begins with that release, which names the condition.  False
 * where the evidence does not hold it. */
bool cycle_park(const struct evidence *ev, const struct evidence_event *release,
		struct evidence_event *park);

#endif /* REPORT_CYCLE_H */
