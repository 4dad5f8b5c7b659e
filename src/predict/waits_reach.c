/*
 * One goal, by searches that cost more and more: in observed order, with open sections moved, any
 * order.  Strict schedules first: in those, code that was not recorded cannot make a difference.
 */
#include <string.h>

#include "predict/closure.h"
#include "predict/limits.h"
#include "predict/waits_priv.h"

static bool is_possible(struct waits *s, const struct goal *g)
{
	memset(s->cut, 0, s->m->nchains * sizeof(*s->cut));
	return goal_need(g, s->must, s->cut) && !goal_is_passed(g, s->m, s->cut);
}

static bool reach_observed(struct waits *s, const struct causal *c, const struct goal *g)
{
	if (!closure_reach(s->m, c, g, s->cut))
		return false;
	exact_order_observe(&s->order, s->m, s->cut);
	return true;
}

/* All pairs of places together had enough; a small budget for each is no reason to try fewer. */
static bool is_spent(const struct waits *s, uint64_t budget)
{
	uint64_t one = budget > LIMIT_EXACT_STEPS ? budget : LIMIT_EXACT_STEPS;

	return s->all_steps / LIMIT_WAITS > one;
}

static enum goal_outcome reach_exact(struct waits *s, const struct goal *g)
{
	uint64_t budget = s->opt.budget ? s->opt.budget : LIMIT_EXACT_STEPS;
	enum goal_outcome answer;

	if (s->steps > budget || is_spent(s, budget) || engine_stopped(&s->opt))
		return GOAL_UNDECIDED;
	answer = exact_reach(s->exact, g, &s->order);
	s->steps += exact_steps(s->exact);
	s->all_steps += exact_steps(s->exact);
	return answer;
}

static bool reach_cheaply(struct waits *s, const struct goal *g)
{
	if (reach_observed(s, s->strict, g) || osr_reach(s->osr_strict, g, &s->order) == GOAL_FOUND)
		return true;
	return s->osr &&
	       (reach_observed(s, s->c, g) || osr_reach(s->osr, g, &s->order) == GOAL_FOUND);
}

enum goal_outcome waits_reach(struct waits *s, const struct goal *g)
{
	enum goal_outcome outcome = GOAL_FOUND;

	if (!is_possible(s, g))
		return GOAL_REFUTED;
	if (!reach_cheaply(s, g))
		outcome = reach_exact(s, g);
	if (outcome == GOAL_FOUND)
		waits_order_note(s);
	return outcome;
}
