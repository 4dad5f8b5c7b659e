/*
 * Sync-preserving deadlocks (Tunc et al., PLDI 2023): of a pattern, the earliest events that
 * can all be next at once while sections keep their observed order.
 */
#ifndef PREDICT_SPD_H
#define PREDICT_SPD_H

#include <stdbool.h>
#include <stdint.h>

struct causal;
struct lockgraph;
struct pattern;

enum spd_answer {
	SPD_FOUND, /* *events are next after `cut' in observed order */
	SPD_NONE,
	SPD_SPENT, /* the steps ran out */
};

struct spd_question {
	const struct lockgraph *g;
	const struct causal *c;
	/* True: closed under sections, and so a run.  False: only what must run before what counts;
	 * then NONE says that of any events of the pattern one must run before another. */
	bool closed;
};

/* *steps: how many are left.  events: room for the pattern's; cut: nchains counters. */
enum spd_answer spd_scan(const struct spd_question *q, const struct pattern *p, uint64_t *steps,
			 uint32_t *events, uint32_t *cut);

#endif /* PREDICT_SPD_H */
