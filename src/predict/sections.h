/*
 * Critical sections at a cut: which are open there, and whom they keep out.
 */
#ifndef PREDICT_SECTIONS_H
#define PREDICT_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "order/model.h"

static inline bool section_in(const struct model *m, uint32_t e, const uint32_t *cut)
{
	return m->event[e].index < cut[m->event[e].chain];
}

/* What the chain holds at the cut: the first of a list in m->holds, 0 nothing. */
uint32_t section_open(const struct model *m, uint32_t chain, const uint32_t *cut);

/* Within the cut, an acquire later in the trace than this one that excludes its section. */
bool section_is_passed(const struct model *m, uint32_t acquire, const uint32_t *cut);

#endif /* PREDICT_SECTIONS_H */
