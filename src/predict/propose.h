/*
 * From a model's events to a finding with a schedule of trace positions.
 */
#ifndef PREDICT_PROPOSE_H
#define PREDICT_PROPOSE_H

#include <stddef.h>
#include <stdint.h>

#include "finding/finding.h"

struct engine_result;
struct model;

/* The cut `observed' (NULL: empty) in observed order, then the events ids[0 .. n). */
void propose_schedule(const struct model *m, const uint32_t *observed, const uint32_t *ids,
		      size_t n, struct schedule *out);

/* A race of two events, with that schedule; the targets are not in it. */
struct finding *propose_race(struct engine_result *r, const struct engine *engine,
			     const struct model *m, uint32_t e1, uint32_t e2,
			     const uint32_t *observed, const uint32_t *ids, size_t n);

/* Requests that wait for one another; without a schedule, and claiming nothing yet. */
struct finding *propose_cycle(struct engine_result *r, enum finding_kind kind,
			      const struct engine *engine, const struct model *m,
			      const uint32_t *events, uint32_t n);

#endif /* PREDICT_PROPOSE_H */
