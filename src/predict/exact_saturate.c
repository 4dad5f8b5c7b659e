/*
 * What must hold: the rules of the exact search, applied until nothing more follows.
 *
 * Everything here is true of every reordering that leads to the targets and keeps to what was
 * chosen so far.  So a circle refutes them all, and so does a rule that asks for an event which
 * cannot be in (handbook 8.7, for needed reads only: DEPENDENCY 8).  With r a needed read of a
 * cell, w the write it must see, v another write of the cell, s1 and s2 sections of a lock that
 * exclude each other:
 *
 *	v <= r			=>  v <= w
 *	w <= v			=>  r <= v
 *	acquire1 <= release2	=>  release1 is in, release1 <= acquire2
 *	acquire1 <= acquire2	=>  the same
 *	s2 cannot be closed	=>  release1 is in, release1 <= acquire2
 *
 * A chain's events are ordered, so of each chain only the latest v, s1 or r need be looked at.
 * Needed reads of a write are kept as a row (exact_priv.h), and the second rule is then one
 * comparison of rows.
 */
#include "predict/exact_priv.h"

#include <assert.h>
#include <string.h>

static uint32_t touch_end(const struct exact *x, uint32_t node)
{
	return x->nodes.at[node + 1].touch;
}

/* The last write of the group below `bound' in its chain; EXACT_NONE: there is none. */
static uint32_t latest_write(const struct exact *x, const struct exact_group *g, exact_count bound)
{
	uint32_t limit = x->offset.at[g->chain] + (uint32_t)bound, lo = g->first, hi = g->end;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (x->touches.at[x->writes.at[mid]].node < limit)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo == g->first ? EXACT_NONE : x->writes.at[lo - 1];
}

/* The first write of the group that is in and has `node' (EXACT_NONE: anything) before it. */
static uint32_t first_write_after(const struct exact *x, const struct exact_group *g, uint32_t node)
{
	uint32_t lo = g->first, hi = g->end, end;

	end = x->offset.at[g->chain] + (uint32_t)exact_cut(x)[g->chain];
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2, v = x->touches.at[x->writes.at[mid]].node;

		if (v == node || (v < end && node != EXACT_NONE && !exact_leq(x, node, v)))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == g->end || x->touches.at[x->writes.at[lo]].node >= end)
		return EXACT_NONE;
	return x->touches.at[x->writes.at[lo]].node;
}

/* v must come after the readers in `row'. */
static bool after_readers(struct exact *x, uint32_t row, uint32_t v)
{
	if (exact_row_leq(x, exact_row(x, row), exact_row(x, v)))
		return true;
	for (uint32_t k = 0; k < x->nchains; k++) {
		exact_count last = exact_row(x, row)[k];

		if (last > exact_row(x, v)[k] &&
		    !exact_edge(x, x->offset.at[k] + (uint32_t)last - 1, v))
			return false;
	}
	return true;
}

static bool rule_write(struct exact *x, uint32_t touch)
{
	const struct exact_touch *t = &x->touches.at[touch];
	const struct exact_cell *c = &x->cells.at[t->cell];
	uint32_t own = x->nodes.at[t->node].chain;

	if (!after_readers(x, c->row, t->node))
		return false;
	for (uint32_t i = c->first; i < c->end; i++) {
		const struct exact_group *g = &x->groups.at[i];
		exact_count bound = exact_row(x, t->node)[g->chain];
		uint32_t w = latest_write(x, g, g->chain == own ? (exact_count)(bound - 1) : bound);

		x->steps++;
		if (w != EXACT_NONE && !after_readers(x, x->touches.at[w].row, t->node))
			return false;
	}
	return true;
}

static bool rule_read(struct exact *x, uint32_t touch)
{
	const struct exact_touch *t = &x->touches.at[touch];
	const struct exact_cell *c = &x->cells.at[t->cell];
	uint32_t own = x->nodes.at[t->node].chain;

	for (uint32_t i = c->first; i < c->end; i++) {
		const struct exact_group *g = &x->groups.at[i];
		exact_count bound = exact_row(x, t->node)[g->chain];
		uint32_t v = latest_write(x, g, g->chain == own ? (exact_count)(bound - 1) : bound);

		x->steps++;
		if (v == EXACT_NONE || v == t->rf)
			continue;
		if (t->rf == EXACT_START ||
		    !exact_edge(x, x->touches.at[v].node, x->touches.at[t->rf].node))
			return false;
	}
	return true;
}

/* The read became needed: the writes that are known to come after its own come after it. */
static bool rule_pin(struct exact *x, uint32_t touch)
{
	const struct exact_touch *t = &x->touches.at[touch];
	const struct exact_cell *c = &x->cells.at[t->cell];
	uint32_t w = t->rf == EXACT_START ? EXACT_NONE : x->touches.at[t->rf].node;

	for (uint32_t i = c->first; i < c->end; i++) {
		uint32_t v = first_write_after(x, &x->groups.at[i], w);

		x->steps++;
		/* The read's own write part comes after it anyway; and then so do all of its chain. */
		if (v != EXACT_NONE && v != t->node && !exact_edge(x, t->node, v))
			return false;
	}
	return true;
}

static exact_count acquire_index(const struct exact *x, const struct exact_section *s)
{
	return s->acquire == EXACT_NONE ? -1 : exact_index(x, s->acquire);
}

/* The last section of the group with its acquire below `bound' that excludes s. */
static uint32_t latest_section(const struct exact *x, const struct exact_group *g,
			       exact_count bound, const struct exact_section *s)
{
	uint32_t lo = g->first, hi = g->end;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (acquire_index(x, &x->sections.at[x->by_lock.at[mid]]) < bound)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo > g->first; lo--) {
		const struct exact_section *o = &x->sections.at[x->by_lock.at[lo - 1]];

		if (o != s && exact_excludes(o, s))
			return x->by_lock.at[lo - 1];
	}
	return EXACT_NONE;
}

static bool enter_upto(struct exact *x, uint32_t node);

static bool section_before(struct exact *x, const struct exact_section *a,
			   const struct exact_section *b)
{
	x->steps++;
	if (a->release == EXACT_NONE) {
		x->clipped |= a->clipped;
		return false;
	}
	if (b->acquire == EXACT_NONE)
		return false;
	if (!exact_is_in(x, a->release) && !enter_upto(x, a->release))
		return false;
	return exact_edge(x, a->release, b->acquire);
}

/* Every section known to begin before `node' ends before s does begin. */
static bool rule_sections(struct exact *x, const struct exact_section *s, uint32_t node)
{
	const struct exact_lock *l = &x->locks.at[s->lock];

	for (uint32_t i = l->first; i < l->end; i++) {
		const struct exact_group *g = &x->groups.at[i];
		exact_count bound = exact_row(x, node)[g->chain];
		uint32_t o;

		if (g->chain == s->chain) {
			if (node != s->acquire)
				continue;
			bound--;
		}
		o = latest_section(x, g, bound, s);
		if (o != EXACT_NONE && !section_before(x, &x->sections.at[o], s))
			return false;
	}
	return true;
}

/* s cannot be closed: it is the last of its lock. */
static bool rule_last(struct exact *x, const struct exact_section *s)
{
	const struct exact_lock *l = &x->locks.at[s->lock];

	x->clipped |= s->clipped;
	for (uint32_t i = l->first; i < l->end; i++) {
		const struct exact_group *g = &x->groups.at[i];
		uint32_t o;

		if (g->chain == s->chain)
			continue;
		o = latest_section(x, g, exact_cut(x)[g->chain], s);
		if (o != EXACT_NONE && !section_before(x, &x->sections.at[o], s))
			return false;
	}
	return true;
}

static bool rule_acquire(struct exact *x, uint32_t section)
{
	const struct exact_section *s = &x->sections.at[section];
	const struct exact_lock *l = &x->locks.at[s->lock];

	if (l->taken || (l->taken_shared && !s->shared)) {
		x->clipped |= l->taken_clipped;
		return false;
	}
	if (!rule_sections(x, s, s->acquire))
		return false;
	if (s->release == EXACT_NONE && !rule_last(x, s))
		return false;
	for (uint32_t f = l->forever; f != EXACT_NONE; f = x->forever_next.at[f]) {
		const struct exact_section *o = &x->sections.at[f];

		if (f == section || !exact_is_in(x, o->acquire) || !exact_excludes(o, s))
			continue;
		x->clipped |= o->clipped;
		if (o->chain != s->chain && !section_before(x, s, o))
			return false;
	}
	return true;
}

static void want(struct exact *x, uint32_t node)
{
	if (!x->nodes.at[node].needed)
		*VEC_PUSH(&x->wanted) = node;
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

		/* Without values, what a needed read saw came in with it or before it. */
		assert(x->values || exact_is_in(x, w->node));
		if (!exact_is_in(x, w->node) && !enter_upto(x, w->node))
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

static bool bind_wanted(struct exact *x)
{
	while (x->wanted.n > 0) {
		uint32_t v = x->wanted.at[--x->wanted.n];

		if (x->nodes.at[v].needed)
			continue;
		x->nodes.at[v].needed = true;
		*VEC_PUSH(&x->marks) = v;
		for (uint32_t t = x->nodes.at[v].touch; t < touch_end(x, v); t++)
			if (x->touches.at[t].reads && !bind(x, t))
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
	if (e->flags & MODEL_HAS_PREDS) {
		struct model_list preds = model_preds(x->m, id);

		for (uint32_t i = 0; i < preds.n; i++) {
			bool before;
			uint32_t p = exact_node_of(x, preds.at[i], &before);

			assert(before || p != EXACT_NONE);
			if (!before && !exact_edge(x, p, v))
				return false;
		}
	}
	exact_mark_dirty(x, v, EXACT_DIRTY);
	if ((e->op == STEP_READ || e->op == STEP_RMW) &&
	    (x->strict || !(e->flags & STEP_FREE_READ)))
		want(x, v);
	if (e->op == STEP_USE && !x->strict)
		want_feeds(x, id);
	/* With values a writer that is asked for may still have to come in; see exact_saturate. */
	return x->values || bind_wanted(x);
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

static bool enter_upto(struct exact *x, uint32_t node)
{
	x->steps += x->m->nchains / EXACT_LANES;
	memset(x->tmp, 0, x->m->nchains * sizeof(*x->tmp));
	if (!causal_upto(x->causal, x->nodes.at[node].id, x->tmp))
		return false;
	for (uint32_t i = 0; i < x->ntargets; i++) {
		const struct model_event *t = &x->m->event[x->targets[i]];

		if (x->tmp[t->chain] > t->index)
			return false;
	}
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

static bool apply_rules(struct exact *x, uint32_t v)
{
	const struct exact_node *n = &x->nodes.at[v];
	bool pin = n->todo & EXACT_PIN;

	x->nodes.at[v].todo &= (uint8_t) ~(EXACT_DIRTY | EXACT_PIN);
	x->steps++;
	if (n->section != EXACT_NONE) {
		const struct exact_section *s = &x->sections.at[n->section];

		return s->acquire == v ? rule_acquire(x, n->section) : rule_sections(x, s, v);
	}
	for (uint32_t t = n->touch; t < touch_end(x, v); t++) {
		const struct exact_touch *a = &x->touches.at[t];
		bool bound = a->reads && n->needed && a->rf != EXACT_UNSET;

		if (a->writes && !rule_write(x, t))
			return false;
		if (bound && !rule_read(x, t))
			return false;
		if (bound && pin && !rule_pin(x, t))
			return false;
	}
	return true;
}

bool exact_saturate(struct exact *x)
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
			if (!apply_guards(x))
				return false;
			continue;
		}
		x->fresh = false;
		if (x->dirty_head == x->dirty.n) {
			VEC_CLEAR(&x->dirty);
			x->dirty_head = 0;
			return true;
		}
		if (!apply_rules(x, x->dirty.at[x->dirty_head++]))
			return false;
	}
}

bool exact_begin(struct exact *x)
{
	memcpy(x->tmp, x->need, x->m->nchains * sizeof(*x->tmp));
	return enter_cut(x) && exact_saturate(x);
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
	return !x->nodes.at[t->node].needed || bind(x, c->a);
}

bool exact_choose(struct exact *x, struct exact_choice c)
{
	bool ok;

	switch (c.kind) {
	case EXACT_SECTIONS:
		ok = section_before(x, &x->sections.at[c.a], &x->sections.at[c.b]);
		break;
	case EXACT_WRITES:
		ok = exact_edge(x, x->touches.at[c.a].node, x->touches.at[c.b].node);
		break;
	default:
		ok = choose_read(x, &c);
	}
	return ok && exact_saturate(x);
}
