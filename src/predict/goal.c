#include "predict/goal.h"

#include "order/causal.h"
#include "predict/sections.h"

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
		if (section_in(m, g->next[i], cut))
			return true;
	return false;
}
