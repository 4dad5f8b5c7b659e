/*
 * From a model's events to a finding with a schedule of trace positions.
 */
#ifndef PREDICT_PROPOSE_H
#define PREDICT_PROPOSE_H

#include "predict/engine.h"
#include "predict/exact.h"

void propose_schedule(const struct model *m, const struct exact_order *order, struct schedule *out);

/* A finding about n events.  order: it is claimed, after that, which does not hold them; NULL:
 * nothing is claimed yet. */
struct finding *propose(struct engine_result *r, enum finding_kind kind,
			const struct engine *engine, const struct model *m, const uint32_t *events,
			uint32_t n, const struct exact_order *order);

#endif /* PREDICT_PROPOSE_H */
