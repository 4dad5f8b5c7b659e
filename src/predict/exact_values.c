/*
 * With values: which writes would give a read the value it had (doc/SEMANTICS.md 2.2).
 *
 * The write that was seen comes first, so a search that needs no others is as long as without
 * values.  A read whose value is not known keeps its write, and so does one that nothing else can
 * serve.  What the cell held at the start counts where its value is known: from the last write
 * before the start, or from a read that saw the initial value.
 */
#include "predict/exact_priv.h"

#define MOST_CANDIDATES 64u

static bool is_known(const struct exact *x, uint32_t id)
{
	return !(x->m->event[id].flags & (STEP_STOP | STEP_TAINTED));
}

static uint32_t seen_of(const struct exact *x, uint32_t id, uint32_t cell)
{
	const struct model_touch *t = x->m->touches + x->m->event[id].touch;

	while (t->cell != cell)
		t++;
	return t->seen;
}

/* The value of a cell at the start: stored by the last write that ran before it, or shown by a
 * read that saw the initial value; such reads come before all writes of the run. */
static bool start_value(const struct exact *x, uint32_t cell, uint64_t *value)
{
	struct model_list list = model_cell(x->m, cell);

	for (uint32_t i = exact_count_upto(list, x->from); i > 0; i--) {
		const struct model_event *e = &x->m->event[list.at[i - 1]];

		if (e->index < x->lo[e->chain] && model_writes(e))
			return model_value(x->m, list.at[i - 1], cell, NULL, value);
	}
	for (uint32_t i = 0; i < list.n; i++) {
		uint32_t id = list.at[i];
		const struct model_event *e = &x->m->event[id];

		if (model_reads(e) && is_known(x, id) && seen_of(x, id, cell) == 0 &&
		    model_value(x->m, id, cell, value, NULL))
			return true;
		if (model_writes(e))
			break;
	}
	return false;
}

bool exact_value_of(const struct exact *x, uint32_t cell, uint32_t writer, uint64_t *value)
{
	const struct exact_cell *c = &x->cells.at[cell];

	if (writer == EXACT_START) {
		*value = c->start_value;
		return c->start_known;
	}
	return model_value(x->m, x->nodes.at[x->touches.at[writer].node].id, c->cell, NULL, value);
}

static void add_candidate(struct exact *x, uint32_t first, uint32_t writer)
{
	if (x->candidates.n - first >= MOST_CANDIDATES)
		x->clipped = true;
	else
		*VEC_PUSH(&x->candidates) = writer;
}

/* Writes of the cell that store `value' (of a read that is tested: any), but not the one seen nor those
 * after the read. */
static void add_writes(struct exact *x, uint32_t touch, uint32_t first, uint64_t value)
{
	const struct exact_touch *t = &x->touches.at[touch];
	const struct exact_cell *c = &x->cells.at[t->cell];

	if (c->first == c->end)
		return;
	for (uint32_t i = x->groups.at[c->first].first; i < x->groups.at[c->end - 1].end; i++) {
		const struct exact_touch *w = &x->touches.at[x->writes.at[i]];
		uint64_t stored;

		if (x->writes.at[i] == t->rf ||
		    (x->nodes.at[w->node].chain == x->nodes.at[t->node].chain &&
		     w->node >= t->node))
			continue;
		if (model_value(x->m, x->nodes.at[w->node].id, c->cell, NULL, &stored) &&
		    (t->tested || stored == value))
			add_candidate(x, first, x->writes.at[i]);
	}
}

static void find_candidates(struct exact *x, uint32_t touch)
{
	struct exact_touch *t = &x->touches.at[touch];
	const struct exact_cell *c = &x->cells.at[t->cell];
	uint32_t id = x->nodes.at[t->node].id, first = (uint32_t)x->candidates.n;
	uint64_t value;

	if (!is_known(x, id) || !model_value(x->m, id, c->cell, &value, NULL))
		return;
	if (t->rf != EXACT_OUTSIDE)
		add_candidate(x, first, t->rf);
	if (t->rf != EXACT_START && c->start_known && (t->tested || c->start_value == value))
		add_candidate(x, first, EXACT_START);
	add_writes(x, touch, first, value);
	if (x->candidates.n - first == 0)
		return;
	t->rf = x->candidates.n - first == 1 ? x->candidates.at[first] : EXACT_UNSET;
	t->candidate = first;
	t->end_candidate = (uint32_t)x->candidates.n;
}

void exact_find_candidates(struct exact *x)
{
	for (size_t i = 0; i < x->cells.n; i++)
		x->cells.at[i].start_known =
			start_value(x, x->cells.at[i].cell, &x->cells.at[i].start_value);
	for (uint32_t t = 0; t < x->touches.n; t++)
		if (x->touches.at[t].reads && !x->touches.at[t].stays &&
		    (x->choosing || x->touches.at[t].tested))
			find_candidates(x, t);
}
