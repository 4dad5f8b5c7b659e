/*
 * What must hold: events that have to be in, edges that follow, until nothing more does.
 *
 * Events come in only when every reordering that leads to the targets has them: at first what must
 * run before the targets, then what closes a section that a rule wants closed (exact_rules.c).
 * With them come the reads that are needed, and what those need (doc/SEMANTICS.md 2.2).  So a
 * circle refutes all reordering at once, and so does a rule that asks for an event which cannot be
 * in.
 */
#include "predict/exact_priv.h"

static void want(struct exact *x, uint32_t node)
{
	if (!x->nodes.at[node].needed)
		*VEC_PUSH(&x->wanted) = node;
}

/* Event id, which is in, tests what the read saw. */
static void ask(struct exact *x, uint32_t read)
{
	bool before;
	uint32_t q = exact_node_of(x, read, &before);

	if (q != EXACT_NONE)
		*VEC_PUSH(&x->wanted) = q | EXACT_ASKED;
}

/* Of a USE: what it only tests is asked. */
static void want_used(struct exact *x, uint32_t id)
{
	const uint32_t *feed = x->m->feeds + x->m->event[id].feed;

	for (uint32_t i = 0; i < model_nfeeds(x->m, id); i++) {
		bool before;
		uint32_t q = exact_node_of(x, feed[i], &before);

		if (q == EXACT_NONE)
			continue;
		if (x->loose && model_is_tested(x->m, feed[i], id))
			ask(x, feed[i]);
		else
			want(x, q);
	}
}

static void want_feeds(struct exact *x, uint32_t id)
{
	const uint32_t *feed = x->m->feeds + x->m->event[id].feed;

	for (uint32_t i = 0; i < model_nfeeds(x->m, id); i++) {
		bool before;
		uint32_t q = exact_node_of(x, feed[i], &before);

		/* What has run before the start ran as observed. */
		if (q != EXACT_NONE)
			want(x, q);
	}
}

/* A needed read keeps the write it is to see, and that write the values it stored. */
static bool bind(struct exact *x, uint32_t touch)
{
	const struct exact_touch *t = &x->touches.at[touch];
	uint32_t row = x->cells.at[t->cell].row, k = x->nodes.at[t->node].chain;

	if (t->rf == EXACT_UNSET)
		return true;
	if (t->rf == EXACT_OUTSIDE)
		return false;
	if (t->rf != EXACT_START) {
		const struct exact_touch *w = &x->touches.at[t->rf];

		/* Without values and tests, what a needed read saw came in with it or before it. */
		assert(x->values || x->loose || exact_is_in(x, w->node));
		if (!exact_is_in(x, w->node) && !exact_enter_upto(x, w->node))
			return false;
		if (!exact_edge(x, w->node, t->node))
			return false;
		row = w->row;
		if (!x->strict)
			want_feeds(x, x->nodes.at[w->node].id);
	}
	if (exact_row(x, row)[k] < exact_index(x, t->node) + 1) {
		exact_save_row(x, row);
		exact_row(x, row)[k] = (exact_count)(exact_index(x, t->node) + 1);
	}
	if (!x->fresh)
		exact_mark_dirty(x, t->node, EXACT_DIRTY | EXACT_PIN);
	return true;
}

/* More is known of what may be seen by a read that is tested. */
static bool narrow(struct exact *x, uint32_t touch)
{
	const struct exact_touch *t = &x->touches.at[touch];

	if (t->rf == EXACT_UNSET && x->nodes.at[t->node].needed && !x->values)
		exact_set_rf(x, touch, t->own, t->candidate);
	if (t->rf != EXACT_UNSET && t->rf != EXACT_OUTSIDE && !exact_fits(x, t, t->rf))
		return false;
	return bind(x, touch);
}

/* Something that is in tests the read; it may have been asked before, by another. */
static bool bind_asked(struct exact *x, uint32_t v)
{
	if (!x->nodes.at[v].asked) {
		x->nodes.at[v].asked = true;
		*VEC_PUSH(&x->marks) = v | EXACT_ASKED;
	}
	return narrow(x, x->nodes.at[v].touch);
}

static bool bind_wanted(struct exact *x)
{
	while (x->wanted.n > 0) {
		uint32_t want = x->wanted.at[--x->wanted.n];
		uint32_t v = want & ~(EXACT_STAYS | EXACT_ASKED);
		bool stays = want & EXACT_STAYS;

		if (want & EXACT_ASKED) {
			if (!bind_asked(x, v))
				return false;
			continue;
		}
		if (!stays && x->nodes.at[v].needed)
			continue;
		if (!stays) {
			x->nodes.at[v].needed = true;
			*VEC_PUSH(&x->marks) = v;
		}
		for (uint32_t t = x->nodes.at[v].touch; t < exact_touch_end(x, v); t++)
			if (x->touches.at[t].reads && x->touches.at[t].stays == stays &&
			    !(x->touches.at[t].tested ? narrow(x, t) : bind(x, t)))
				return false;
	}
	return true;
}

static bool enter_after(struct exact *x, uint32_t v, struct model_list preds)
{
	for (uint32_t i = 0; i < preds.n; i++) {
		bool before;
		uint32_t p = exact_node_of(x, preds.at[i], &before);

		assert(before || p != EXACT_NONE);
		if (!before && !exact_edge(x, p, v))
			return false;
	}
	return true;
}

/* A node comes in: all that must precede it is in already. */
static bool enter_node(struct exact *x, uint32_t v)
{
	uint32_t id = x->nodes.at[v].id, k = x->nodes.at[v].chain;
	const struct model_event *e = &x->m->event[id];
	exact_count *row = exact_row(x, v), index = exact_index(x, v);

	x->steps++;
	if (index > 0)
		memcpy(row, exact_row(x, v - 1), x->width * sizeof(*row));
	else
		memset(row, 0, x->width * sizeof(*row));
	row[k] = (exact_count)(index + 1);
	if (e->flags & MODEL_HAS_PREDS && !enter_after(x, v, model_preds(x->m, id)))
		return false;
	if (x->nodes.at[v].counter != EXACT_NONE && !enter_after(x, v, model_counted(x->m, id)))
		return false;
	exact_mark_dirty(x, v, EXACT_DIRTY);
	if (model_reads(e) && (x->strict || !(e->flags & STEP_FREE_READ))) {
		if (x->loose && model_is_tested(x->m, id, id))
			ask(x, id);
		else
			want(x, v);
	}
	if (e->op == STEP_USE && !x->strict)
		want_used(x, id);
	if (exact_touch_end(x, v) > x->nodes.at[v].touch &&
	    x->touches.at[exact_touch_end(x, v) - 1].stays)
		*VEC_PUSH(&x->wanted) = v | EXACT_STAYS;
	/* With values or tests a writer that is asked for may still have to come in; see saturate. */
	return x->values || x->loose || bind_wanted(x);
}

/* Brings in the nodes up to `cut', in observed order: rows of predecessors are then complete. */
static bool enter(struct exact *x, const exact_count *cut)
{
	exact_count *in = exact_cut(x);

	exact_save_row(x, x->cut_row);
	x->grown = true;
	for (;;) {
		uint32_t best = EXACT_NONE, id = EXACT_NONE;

		for (uint32_t k = 0; k < x->nchains; k++) {
			uint32_t v = x->offset.at[k] + (uint32_t)in[k];

			if (in[k] < cut[k] && x->nodes.at[v].id < id) {
				id = x->nodes.at[v].id;
				best = v;
			}
		}
		if (best == EXACT_NONE)
			return true;
		in[x->nodes.at[best].chain]++;
		if (!enter_node(x, best))
			return false;
	}
}

/* x->tmp, a cut of the model, as a row. */
static bool enter_cut(struct exact *x)
{
	exact_count *goal = x->goal.at;

	for (uint32_t k = 0; k < x->nchains; k++)
		goal[k] = exact_cut(x)[k];
	for (uint32_t c = 0; c < x->m->nchains; c++) {
		uint32_t k = x->local_chain[c], n;

		if (x->tmp[c] <= x->lo[c])
			continue;
		n = x->tmp[c] - x->lo[c];
		if (k == EXACT_NONE || n > x->offset.at[k + 1] - x->offset.at[k]) {
			x->clipped = true;
			return false;
		}
		if (n > (uint32_t)goal[k])
			goal[k] = (exact_count)n;
	}
	return enter(x, goal);
}

bool exact_enter_upto(struct exact *x, uint32_t node)
{
	x->steps += x->m->nchains / EXACT_LANES;
	memset(x->tmp, 0, x->m->nchains * sizeof(*x->tmp));
	if (!causal_upto(x->causal, x->nodes.at[node].id, x->tmp))
		return false;
	if (goal_is_passed(x->aim, x->m, x->tmp))
		return false;
	return enter_cut(x);
}

static bool apply_guards(struct exact *x)
{
	for (size_t i = 0; i < x->guards.n; i++) {
		const struct model_guard *g = &x->m->guards[x->guards.at[i]];
		bool when_ran, from_ran, to_ran;
		uint32_t when = exact_node_of(x, g->when, &when_ran);
		uint32_t from = exact_node_of(x, g->from, &from_ran);
		uint32_t to = exact_node_of(x, g->to, &to_ran);

		if (from_ran || (!when_ran && !(when != EXACT_NONE && exact_is_in(x, when))) ||
		    !(from != EXACT_NONE && exact_is_in(x, from)))
			continue;
		if (to_ran)
			return false;
		if (to != EXACT_NONE && exact_is_in(x, to) && !exact_edge(x, from, to))
			return false;
	}
	return true;
}

/* The rules, until nothing more follows. */
static bool saturate(struct exact *x)
{
	for (;;) {
		if (!bind_wanted(x) || !exact_propagate(x))
			return false;
		if (x->wanted.n > 0)
			continue;
		if (x->steps > x->allowance || engine_stopped(x->opt)) {
			x->exhausted = true;
			return false;
		}
		if (x->grown) {
			x->grown = false;
			if (!apply_guards(x) || !exact_apply_bans(x))
				return false;
			continue;
		}
		x->fresh = false;
		if (x->dirty_head == x->dirty.n) {
			size_t steps = x->edges.n;

			VEC_CLEAR(&x->dirty);
			x->dirty_head = 0;
			/* The counts last: they look at much. */
			if (!exact_apply_counts(x))
				return false;
			if (x->edges.n == steps && !x->grown && x->dirty.n == 0)
				return true;
			continue;
		}
		if (!exact_apply_rules(x, x->dirty.at[x->dirty_head++]))
			return false;
	}
}

/* What the goal wants in a certain order; what has run before the start ran as observed. */
static bool order_pairs(struct exact *x)
{
	for (uint32_t i = 0; i < x->aim->nbefore; i++) {
		const struct goal_pair *p = &x->aim->before[i];
		bool first_ran, then_ran;
		uint32_t first = exact_node_of(x, p->first, &first_ran);
		uint32_t then = exact_node_of(x, p->then, &then_ran);

		if (then_ran && !(first_ran && p->first < p->then)) {
			x->clipped = true;
			return false;
		}
		if (!first_ran && !then_ran && !exact_edge(x, first, then))
			return false;
	}
	return true;
}

bool exact_begin(struct exact *x)
{
	memcpy(x->tmp, x->need, x->m->nchains * sizeof(*x->tmp));
	return enter_cut(x) && order_pairs(x) && saturate(x);
}

/* Only the first candidate of a read can be left out: they are tried in their order. */
static bool choose_read(struct exact *x, const struct exact_choice *c)
{
	const struct exact_touch *t = &x->touches.at[c->a];
	uint32_t next = t->candidate + 1;

	assert(t->rf == EXACT_UNSET && x->candidates.at[t->candidate] == c->b);
	if (c->kind == EXACT_READ_NOT) {
		if (next == t->end_candidate)
			return false;
		exact_set_rf(x, c->a, EXACT_UNSET, next);
		return true;
	}
	exact_set_rf(x, c->a, c->b, t->candidate);
	if (t->tested && !exact_fits(x, t, c->b))
		return false;
	return !(x->nodes.at[t->node].needed || x->nodes.at[t->node].asked) || bind(x, c->a);
}

bool exact_choose(struct exact *x, struct exact_choice c)
{
	bool ok;

	switch (c.kind) {
	case EXACT_SECTIONS:
		ok = exact_section_before(x, &x->sections.at[c.a], &x->sections.at[c.b]);
		break;
	case EXACT_WRITES:
		ok = exact_edge(x, x->touches.at[c.a].node, x->touches.at[c.b].node);
		break;
	case EXACT_FIRST:
	case EXACT_FIRST_NOT:
		ok = exact_choose_first(x, &c);
		break;
	default:
		ok = choose_read(x, &c);
	}
	return ok && saturate(x);
}
