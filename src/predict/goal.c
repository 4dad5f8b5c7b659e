#include "predict/goal.h"

#include "order/causal.h"
#include "order/model.h"

bool goal_need(const struct goal *g, const struct causal *c, uint32_t *cut)
{
	for (uint32_t i = 0; i < g->nnext; i++)
		if (!causal_arrive(c, g->next[i], cut))
			return false;
	for (uint32_t i = 0; i < g->ndone; i++)
		if (!causal_upto(c, g->done[i], cut))
			return false;
	return true;
}

bool goal_is_passed(const struct goal *g, const struct model *m, const uint32_t *cut)
{
	for (uint32_t i = 0; i < g->nnext; i++)
		if (model_is_in(m, g->next[i], cut))
			return true;
	return false;
}

bool goal_is_possible(const struct goal *g, const struct model *m, const struct causal *c,
		      uint32_t *cut)
{
	memset(cut, 0, m->nchains * sizeof(*cut));
	return goal_need(g, c, cut) && !goal_is_passed(g, m, cut);
}

/*
 * One round over the open sections: closes those that a later one has passed.  The definition is
 * that of order/causal_sections.c, here for any cut and one question: each open section is held
 * against the later ones of its lock, over and over.
 */
static bool close_round(const struct model *m, const struct causal *c, uint32_t *cut, bool *grew)
{
	*grew = false;
	for (uint32_t v = 0; v < m->nchains; v++) {
		for (uint32_t h = model_hold_at(m, v, cut[v]); h; h = m->holds[h].next) {
			uint32_t a = m->holds[h].acquire, release = m->event[a].partner;

			/* The list was taken at an older cut; it may be closed by now. */
			if ((release && model_is_in(m, release, cut)) ||
			    !model_hold_is_passed(m, a, cut))
				continue;
			if (!release || !causal_upto(c, release, cut))
				return false;
			*grew = true;
		}
	}
	return true;
}

bool goal_close(const struct model *m, const struct causal *c, uint32_t *cut)
{
	bool grew;

	do {
		if (!close_round(m, c, cut, &grew))
			return false;
	} while (grew);
	return true;
}

bool goal_reach(const struct goal *g, const struct model *m, const struct causal *c, uint32_t *cut)
{
	return goal_is_possible(g, m, c, cut) && goal_close(m, c, cut) &&
	       !goal_is_passed(g, m, cut);
}
