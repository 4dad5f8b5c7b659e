/*
 * The rules of the exact search.
 *
 * Each is true of every reordering that leads to the targets and keeps to what was chosen so far
 * (after Pavlogiannis, POPL 2020, for needed reads only: doc/SEMANTICS.md 2.2).  With r a needed
 * read of a cell, w the write it must see, v another write of the cell, s1 and s2 sections of a
 * lock that exclude each other:
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

static uint32_t write_node(const struct exact *x, uint32_t write)
{
	return x->touches.at[x->writes.at[write]].node;
}

/* The last write of the group before `node', that one left out; EXACT_NONE: there is none. */
static uint32_t latest_write(const struct exact *x, const struct exact_group *g, uint32_t node)
{
	uint32_t bound = (uint32_t)exact_row(x, node)[g->chain];
	uint32_t limit = x->offset.at[g->chain] + bound - (g->chain == x->nodes.at[node].chain);
	uint32_t past = SEARCH_PAST(i, g->first, g->end, write_node(x, i) < limit);

	return past == g->first ? EXACT_NONE : x->writes.at[past - 1];
}

/* The first write of the group that is in and has `node' (EXACT_NONE: anything) before it. */
static uint32_t first_write_after(const struct exact *x, const struct exact_group *g, uint32_t node)
{
	uint32_t end = x->offset.at[g->chain] + (uint32_t)exact_cut(x)[g->chain];
	uint32_t found = SEARCH_PAST(i, g->first, g->end,
				     write_node(x, i) == node ||
					     (write_node(x, i) < end && node != EXACT_NONE &&
					      !exact_leq(x, node, write_node(x, i))));

	if (found == g->end || write_node(x, found) >= end)
		return EXACT_NONE;
	return write_node(x, found);
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

	if (!after_readers(x, c->row, t->node))
		return false;
	for (uint32_t i = c->first; i < c->end; i++) {
		uint32_t w = latest_write(x, &x->groups.at[i], t->node);

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

	for (uint32_t i = c->first; i < c->end; i++) {
		uint32_t v = latest_write(x, &x->groups.at[i], t->node);

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
	uint32_t past = SEARCH_PAST(i, g->first, g->end,
				    acquire_index(x, &x->sections.at[x->by_lock.at[i]]) < bound);

	for (; past > g->first; past--) {
		const struct exact_section *o = &x->sections.at[x->by_lock.at[past - 1]];

		if (o != s && exact_excludes(o, s))
			return x->by_lock.at[past - 1];
	}
	return EXACT_NONE;
}

bool exact_section_before(struct exact *x, const struct exact_section *a,
			  const struct exact_section *b)
{
	x->steps++;
	if (a->release == EXACT_NONE) {
		x->clipped |= a->clipped;
		return false;
	}
	if (b->acquire == EXACT_NONE)
		return false;
	if (!exact_is_in(x, a->release) && !exact_enter_upto(x, a->release))
		return false;
	return exact_edge(x, a->release, b->acquire);
}

/* Every section known to begin before `node' ends before s does begin. */
static bool rule_sections(struct exact *x, const struct exact_section *s, uint32_t node)
{
	const struct exact_lock *l = &x->locks.at[s->lock];

	for (uint32_t i = l->first; i < l->end && !x->clumsy; i++) {
		const struct exact_group *g = &x->groups.at[i];
		exact_count bound = exact_row(x, node)[g->chain];
		uint32_t o;

		if (g->chain == s->chain) {
			if (node != s->acquire)
				continue;
			bound--;
		}
		o = latest_section(x, g, bound, s);
		if (o != EXACT_NONE && !exact_section_before(x, &x->sections.at[o], s))
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
		if (o != EXACT_NONE && !exact_section_before(x, &x->sections.at[o], s))
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
		if (o->chain != s->chain && !exact_section_before(x, s, o))
			return false;
	}
	return true;
}

bool exact_apply_rules(struct exact *x, uint32_t v)
{
	const struct exact_node *n = &x->nodes.at[v];
	bool pin = n->todo & EXACT_PIN;

	x->nodes.at[v].todo &= (uint8_t) ~(EXACT_DIRTY | EXACT_PIN);
	x->steps++;
	if (n->section != EXACT_NONE) {
		const struct exact_section *s = &x->sections.at[n->section];

		x->busy_dirty |= x->busy.n > 0; /* it may explain one of them */
		if (s->acquire == v ? !rule_acquire(x, n->section) : !rule_sections(x, s, v))
			return false;
	}
	if (n->counter != EXACT_NONE)
		exact_count_touched(x, v);
	for (uint32_t t = n->touch; t < exact_touch_end(x, v); t++) {
		const struct exact_touch *a = &x->touches.at[t];
		bool bound =
			a->reads && (n->needed || n->asked || a->stays) && a->rf != EXACT_UNSET;

		if (a->writes && !rule_write(x, t))
			return false;
		if (bound && !x->clumsy && !rule_read(x, t))
			return false;
		if (bound && pin && !rule_pin(x, t))
			return false;
	}
	return true;
}
