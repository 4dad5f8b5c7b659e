/*
 * State machines: the states that the machine is in, one of them unless it is `fsm any'.
 */
#include <string.h>

#include "witness/judge_priv.h"

/* From one state, the first move that fits, or each; none: it stays. */
static void moves_take(struct judge *j, const struct judge_moment *m, uint32_t from, bool *none,
		       bool *open)
{
	const struct spec_state *s = &j->property->states[from];
	bool leaves = false;

	for (uint32_t i = 0; i < s->nmoves && (j->property->any || !leaves); i++) {
		const struct spec_move *move = &s->moves[i];
		enum value_truth fits = VALUE_TRUE;

		if (!(m->events >> move->event & 1))
			continue;
		if (move->when)
			fits = value_truth(j->spec, move->when, m->values, m->thread, &j->trouble);
		if (fits == VALUE_TRUE)
			j->next[move->to] = true;
		*none |= fits == VALUE_NONE;
		*open |= fits == VALUE_OPEN;
		leaves |= fits != VALUE_FALSE;
	}
	if (!leaves)
		j->next[from] = true;
}

enum judge_verdict judge_fsm(struct judge *j, const struct judge_moment *m, bool first)
{
	const struct spec_property *p = j->property;
	bool none = false, open = false, *spare = j->in;

	memset(j->next, 0, p->nstates);
	for (uint32_t i = 0; i < p->nstates; i++) {
		if (first)
			j->next[i] = p->states[i].initial;
		else if (j->in[i])
			moves_take(j, m, i, &none, &open);
	}
	j->in = j->next;
	j->next = spare;
	/* In a bad state it is, whatever else may be. */
	for (uint32_t i = 0; i < p->nstates; i++)
		if (j->in[i] && p->states[i].bad)
			return JUDGE_BAD;
	if (open)
		return JUDGE_UNKNOWN;
	return none ? JUDGE_ERROR : JUDGE_GOOD;
}
