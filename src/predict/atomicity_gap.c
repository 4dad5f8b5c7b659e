/*
 * Patterns that show when two threads take turns once (gap.h).
 *
 *	S, T	t stands between a and c; u runs from before b through d; t runs to c
 *	X	the same with u from before d through b; or t runs from before a through c while u stands
 *		between d and b; or both stand half way, and either goes first
 *
 * Where t may stand: before c; before an acquire, or behind a release, between a and c; right behind a.  Where u
 * may: before b, before an acquire whose section is open at b; the same of its own write that b reads, and of reads a
 * little earlier that are only compared, for what they see is looked at in the run, and not in the cut.
 *
 * A READ that comes last, and binds, may see anything if its thread stops there.
 */
#include "predict/atomicity_priv.h"
#include "predict/gap.h"

#define STOPS 8u
#define NEAR 32u /* events before b in which compared reads are looked for */

struct places {
	uint32_t at[STOPS]; /* numbers in the chain */
	uint32_t n;
};

static void place(struct places *s, uint32_t at)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->at[i] == at)
			return;
	if (s->n < STOPS)
		s->at[s->n++] = at;
}

/* lo has run, hi has not. */
static struct places stops(const struct model *m, uint32_t lo, uint32_t hi)
{
	struct model_list list = model_chain(m, m->event[hi].chain);
	uint32_t from = m->event[lo].index + 1, to = m->event[hi].index;
	struct places s = { .n = 0 };

	place(&s, to);
	place(&s, from);
	for (uint32_t i = to; i > from && s.n < STOPS; i--) {
		const struct model_event *v = &m->event[list.at[i - 1]];

		if (v->op == STEP_REL || v->op == STEP_RREL)
			place(&s, i);
		if (v->op == STEP_ACQ || v->op == STEP_RACQ)
			place(&s, i - 1);
	}
	return s;
}

static void entries_add(const struct model *m, uint32_t e, struct places *s)
{
	place(s, m->event[e].index);
	for (uint32_t h = m->event[e].hold; h; h = m->holds[h].next)
		if (m->event[m->holds[h].acquire].chain == m->event[e].chain)
			place(s, m->event[m->holds[h].acquire].index);
}

/* Of reads of the thread before e that decide by comparisons alone, those next to it first. */
static void entries_tested(const struct model *m, uint32_t e, struct places *s)
{
	struct model_list chain = model_chain(m, m->event[e].chain);
	uint32_t i = m->event[e].index, from = i > NEAR ? i - NEAR : 0;

	while (m->tests.n > 0 && i-- > from) {
		uint32_t at = chain.at[i];
		const struct model_event *v = &m->event[at];

		if (model_reads(v) && model_is_tested(m, at, at))
			entries_add(m, at, s);
		for (uint32_t f = v->feed; v->op == STEP_USE && f < v[1].feed; f++)
			if (m->feeds[f] && model_is_tested(m, m->feeds[f], at))
				entries_add(m, m->feeds[f], s);
	}
}

static struct places entries(const struct model *m, uint32_t e)
{
	const struct model_event *v = &m->event[e];
	struct places s = { .n = 0 };

	entries_add(m, e, &s);
	for (uint32_t k = v->touch; model_reads(v) && k < v[1].touch; k++) {
		uint32_t seen = m->touches[k].seen;

		if (seen && m->event[seen].chain == v->chain)
			entries_add(m, seen, &s);
	}
	entries_tested(m, e, &s);
	return s;
}

struct gap_hand {
	const struct atomicity *x;
	struct gap *gap;
	struct exact_order *out;
};

/* u goes through `part' from one of its places on, then t to `last'. */
static bool turns(const struct gap_hand *h, struct places u, uint32_t part, struct places t,
		  uint32_t last)
{
	const struct model_event *v = &h->x->m->event[part];
	bool may_freeze = v->op == STEP_READ && (h->x->opt->strict || model_binds(v));

	for (uint32_t i = 0; i < t.n; i++) {
		for (uint32_t k = 0; k < u.n * 2; k++) {
			struct gap_turns turns = { .u_at = u.at[k / 2],
						   .u_to = part,
						   .t_at = t.at[i],
						   .t_to = last,
						   .frozen = k % 2 };

			if ((!turns.frozen || may_freeze) && gap_reach(h->gap, &turns, h->out))
				return true;
		}
	}
	return false;
}

enum goal_outcome atomicity_gap(const struct atomicity *x, struct gap *gap,
				const struct atomicity_tuple *p, struct exact_order *out)
{
	const struct model *m = x->m;
	struct gap_hand h = { x, gap, out };
	bool cross = atomicity_is_cross(m, p), found;
	struct places t = stops(m, p->a, p->c), u;

	found = turns(&h, entries(m, cross ? p->d : p->b), cross ? p->b : p->d, t, p->c);
	if (!found && cross) {
		u = stops(m, p->d, p->b);
		found = turns(&h, entries(m, p->a), p->c, u, p->b) || turns(&h, t, p->c, u, p->b) ||
			turns(&h, u, p->b, t, p->c);
	}
	return found ? GOAL_FOUND : GOAL_SEARCHED;
}
