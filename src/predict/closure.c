/*
 * The definition is that of order/causal_sections.c, here for any cut and one question: each open
 * section is held against the later ones of its lock, over and over.
 */
#include "predict/closure.h"

#include <string.h>

#include "order/causal.h"
#include "predict/goal.h"
#include "predict/sections.h"

/* One round over the open sections: closes those that a later one has passed. */
static bool close_round(const struct model *m, const struct causal *c, uint32_t *cut, bool *grew)
{
	*grew = false;
	for (uint32_t v = 0; v < m->nchains; v++) {
		for (uint32_t h = section_open(m, v, cut); h; h = m->holds[h].next) {
			uint32_t a = m->holds[h].acquire, release = m->event[a].partner;

			/* The list was taken at an older cut; it may be closed by now. */
			if ((release && section_in(m, release, cut)) ||
			    !section_is_passed(m, a, cut))
				continue;
			if (!release || !causal_upto(c, release, cut))
				return false;
			*grew = true;
		}
	}
	return true;
}

bool closure_extend(const struct model *m, const struct causal *c, uint32_t *cut)
{
	bool grew;

	do {
		if (!close_round(m, c, cut, &grew))
			return false;
	} while (grew);
	return true;
}

bool closure_reach(const struct model *m, const struct causal *c, const struct goal *g,
		   uint32_t *cut)
{
	memset(cut, 0, m->nchains * sizeof(*cut));
	return goal_need(g, c, cut) && closure_extend(m, c, cut) && !goal_is_passed(g, m, cut);
}
