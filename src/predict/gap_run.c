/*
 * The walk along the two runs behind the cut (gap.h): locks are free, what must come before has come, and what
 * must see what it saw does.
 *
 * The cut runs in observed order, so what a cell holds behind it is the last write of the cell that is in it.
 * Such a write stores what it stored if each read that it is made of sees the write that it saw, which
 * again stores what it stored.
 */
#include "predict/gap_priv.h"

#define UNKNOWN UINT32_MAX /* no write */

/* The last write of the cell in the cut, before event `before'; 0 the initial value. */
static uint32_t write_in_cut(struct gap *g, uint32_t cell, uint32_t before)
{
	const struct model *m = g->m;
	struct model_list list = model_cell(m, cell);
	uint32_t i = SEARCH_PAST(j, 0, list.n, list.at[j] < before);

	for (uint32_t n = 0; i > 0; i--) {
		uint32_t e = list.at[i - 1];

		if (model_writes(&m->event[e]) && model_is_in(m, e, g->cut))
			return e;
		if (++n == GAP_LOOK)
			return UNKNOWN;
	}
	return 0;
}

static bool is_stored(struct gap *g, uint32_t w, uint32_t depth);

/* A read of the cut sees what it saw. */
static bool is_same_in_cut(struct gap *g, uint32_t q, uint32_t depth)
{
	const struct model_event *v = &g->m->event[q];

	if (q == 0 || !model_is_in(g->m, q, g->cut) || (v->flags & STEP_TAINTED))
		return false;
	for (uint32_t k = v->touch; k < v[1].touch; k++) {
		const struct model_touch *t = &g->m->touches[k];

		if (write_in_cut(g, t->cell, q) != t->seen || !is_stored(g, t->seen, depth + 1))
			return false;
	}
	return true;
}

/* A write of the cut stores what it stored. */
static bool is_stored(struct gap *g, uint32_t w, uint32_t depth)
{
	const struct model *m = g->m;
	const struct model_event *v = &m->event[w];
	uint64_t *known;
	bool good;

	if (w == 0 || g->is_strict)
		return true;
	known = map_put(&g->sliced, w, NULL);
	if (*known != 0)
		return *known == 1;
	good = depth < GAP_SLICE && ++g->looks < GAP_RUN && model_is_in(m, w, g->cut);
	if (good && v->op == STEP_RMW && !model_binds(v))
		good = is_same_in_cut(g, w, depth);
	for (uint32_t f = v->feed; f < v[1].feed && good; f++)
		good = m->feeds[f] == w || is_same_in_cut(g, m->feeds[f], depth);
	known = map_put(&g->sliced, w, NULL);
	*known = good ? 1 : 2;
	return good;
}

static bool is_same(struct gap *g, uint32_t e)
{
	const uint64_t *known = e ? map_get(&g->same, e) : NULL;

	if (e && !model_is_in(g->m, e, g->cut))
		return known && *known == 1;
	return is_same_in_cut(g, e, 0);
}

/* What the read sees now is what it saw. */
static bool sees_same(struct gap *g, uint32_t e)
{
	const struct model_event *v = &g->m->event[e];

	for (uint32_t k = v->touch; k < v[1].touch; k++) {
		const struct model_touch *t = &g->m->touches[k];
		const uint64_t *last = map_get(&g->last, t->cell);
		uint32_t content = last ? (uint32_t)*last : write_in_cut(g, t->cell, g->m->n + 1);

		if (content != t->seen)
			return false;
		if (last ? *map_put(&g->same, content, NULL) != 1 : !is_stored(g, content, 0))
			return false;
	}
	return true;
}

static bool feeds_same(struct gap *g, uint32_t e)
{
	for (uint32_t i = g->m->event[e].feed; i < g->m->event[e + 1].feed; i++)
		if (g->m->feeds[i] != e && !is_same(g, g->m->feeds[i]))
			return false;
	return true;
}

/* Nobody else holds it. */
static bool is_free(const struct gap *g, const struct model_event *v)
{
	const struct model *m = g->m;

	for (uint32_t c = 0; c < m->nchains; c++)
		if (c != v->chain &&
		    model_hold_find(m, model_hold_at(m, c, g->at[c]), v->obj, v->op == STEP_RACQ))
			return false;
	return true;
}

static bool walk(struct gap *g, uint32_t e)
{
	const struct model *m = g->m;
	const struct model_event *v = &m->event[e];
	struct model_list preds = model_preds(m, e);
	bool same = true;

	for (uint32_t i = 0; i < preds.n; i++)
		/* Who read something else may not end there. */
		if (!model_is_in(m, preds.at[i], g->at) || preds.at[i] == g->u_last)
			return false;
	if ((v->op == STEP_ACQ || v->op == STEP_RACQ) && !is_free(g, v))
		return false;
	if (model_reads(v))
		same = !(v->flags & STEP_TAINTED) && sees_same(g, e);
	if (!same && gap_binds(g, e))
		return false;
	if (!g->is_strict && (model_writes(v) || v->op == STEP_USE))
		same = feeds_same(g, e) && same;
	if (!same && v->op == STEP_USE)
		return false;
	*map_put(&g->same, e, NULL) = same;
	for (uint32_t k = v->touch; model_writes(v) && k < v[1].touch; k++)
		*map_put(&g->last, m->touches[k].cell, NULL) = e;
	g->at[v->chain]++;
	return true;
}

bool gap_runs(struct gap *g)
{
	memcpy(g->at, g->cut, g->m->nchains * sizeof(*g->at));
	map_clear(&g->last);
	map_clear(&g->same);
	map_clear(&g->sliced);
	g->looks = 0;
	if (g->at[g->u.chain] != g->u.from || g->at[g->t.chain] != g->t.from)
		return false;
	for (int k = 0; k < 2; k++) {
		const struct gap_run *r = k ? &g->t : &g->u;

		for (uint32_t i = r->from; i < r->to; i++)
			if (!walk(g, model_chain(g->m, r->chain).at[i]))
				return false;
	}
	return true;
}
