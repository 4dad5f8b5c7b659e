/*
 * The walk along the two runs behind the cut (gap.h): locks are free, what must come before has come, and what
 * must see what it saw does.
 *
 * The cut runs in observed order, so what a cell holds behind it is the last write of the cell that is in it.
 * Such a write stores what it stored if each read that it is made of sees the write that it saw, which
 * again stores what it stored.  Then its value is as logged, and a read of the runs that sees it instead of what it
 * saw, and is only compared, has to come out as it did.
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

/* ---- reads that are only compared ---- */

/* Event `at' decides as it did by what the read sees, which stores what it stored. */
static bool is_answered(struct gap *g, uint32_t read, uint32_t at)
{
	const uint64_t *saw = map_get(&g->saw, read);
	uint32_t cell = g->m->touches[g->m->event[read].touch].cell;
	uint64_t value = 0;

	return saw && *saw != 0 && model_left(g->m, cell, (uint32_t)*saw - 1, &value) &&
	       model_tests_pass(g->m, read, at, value);
}

/* All of the run that the USE decides by is as it was, or comes out the same. */
static bool use_answered(struct gap *g, uint32_t e)
{
	for (uint32_t i = g->m->event[e].feed; i < g->m->event[e + 1].feed; i++) {
		uint32_t read = g->m->feeds[i];

		if (!is_same(g, read) && !(gap_asks(g, read, e) && is_answered(g, read, e)))
			return false;
	}
	return true;
}

/* Of a read of one cell: what it sees, if that is as recorded. */
static void note_seen(struct gap *g, uint32_t e)
{
	const struct model_touch *t = &g->m->touches[g->m->event[e].touch];
	const uint64_t *last = map_get(&g->last, t->cell);
	uint32_t content = last ? (uint32_t)*last : write_in_cut(g, t->cell, g->m->n + 1);

	if (content != UNKNOWN &&
	    (last ? *map_put(&g->same, content, NULL) == 1 : is_stored(g, content, 0)))
		*map_put(&g->saw, e, NULL) = 1 + (uint64_t)content;
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
	if (!same && g->tests && v[1].touch == v->touch + 1 && model_tests_of(m, e).n > 0)
		note_seen(g, e);
	if (!same && !gap_is_last(g, e) && gap_asks(g, e, e) && !is_answered(g, e, e))
		return false;
	if (!g->is_strict && model_writes(v))
		same = feeds_same(g, e) && same;
	if (v->op == STEP_USE && !g->is_strict && !use_answered(g, e))
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
	map_clear(&g->saw);
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
