#include "explore/meet.h"

void meet_plan(const struct explore_failure *f, struct steer_course *out)
{
	const struct baton_step *steps = f->steps.at;
	uint32_t first = f->race[0], second = f->race[1];

	for (uint32_t i = 0; i < second; i++)
		if (i < first || steps[i].choice.thread != steps[first].choice.thread)
			*VEC_PUSH(&out->at) = steps[i].choice;
	*VEC_PUSH(&out->at) = steps[first].choice;
	*VEC_PUSH(&out->at) = steps[second].choice;
}

/* Nothing lies between them, and both were next: so nothing orders them. */
bool meet_is_race(const struct explore_runner *r, size_t n, uint32_t race[2])
{
	const struct baton_step *a, *b;

	if (n < 2 || r->head->nsteps < n || r->head->outcome == BATON_STRAYED)
		return false;
	a = &explore_steps(r)[n - 2];
	b = &explore_steps(r)[n - 1];
	race[0] = (uint32_t)n - 2;
	race[1] = (uint32_t)n - 1;
	return a->choice.thread != b->choice.thread && baton_has(&a->enabled, b->choice.thread) &&
	       BATON_IS_ACCESS(a->op.kind) && BATON_IS_ACCESS(b->op.kind) &&
	       baton_depends(&a->op, &b->op) && !(a->op.flags & b->op.flags & BATON_ATOMIC) &&
	       !((a->op.flags | b->op.flags) & BATON_KERNEL);
}
