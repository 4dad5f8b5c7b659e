/*
 * Values: which bytes of an access belong to a cell.
 *
 * Steps do not say where a cell lies, but it can be told from the accesses, each of which lists
 * its cells in the order of their bytes and leaves none of its bytes out (but for FREE).  A border
 * between two cells of a word is there because some access began or ended at it, or comes from
 * a split, which names it:
 *
 *	bytes     0 1 2 3 4 5 6 7
 *	access    a a a a b b b b	begins a, ends b
 *	access    a a a a		ends a
 *
 * So first every split tells where a cell begins, and every access where its first cell begins and
 * its last one ends.  Then, from left to right, each cell begins where the one before ends, and
 * ends where that is known or where the next one is known to begin, else with its word.
 */

#include "order/model_priv.h"

static bool has_bytes(const struct model_event *e, const struct model_bytes *v)
{
	return e->op >= STEP_READ && e->op <= STEP_RMW && v->len != 0;
}

static void ends_note(struct model_priv *p, const struct model_bytes *v)
{
	const struct model_build *b = p->build;

	p->stretches[b->scratch.at[0]].first = v->addr;
	p->stretches[b->scratch.at[b->scratch.n - 1]].end = v->addr + v->len;
}

static void borders_note(struct model_priv *p)
{
	const struct model_build *b = p->build;

	for (size_t i = 1; i < b->scratch.n; i++) {
		struct model_stretch *left = &p->stretches[b->scratch.at[i - 1]];
		struct model_stretch *right = &p->stretches[b->scratch.at[i]];

		if (left->end == 0)
			left->end = right->first != 0 ? right->first : (left->first | 7) + 1;
		if (right->first == 0)
			right->first = left->end;
	}
}

void model_settle_stretches(struct model *m)
{
	struct model_priv *p = m->priv;

	VEC_REACH(&p->values, m->n);
	p->stretches = mem_zalloc(((size_t)m->ncells + 1) * sizeof(*p->stretches));
	for (size_t i = 0; i < p->build->splits.n; i++)
		p->stretches[p->build->splits.at[i].other].first = p->build->splits.at[i].addr;
	for (int borders = 0; borders < 2; borders++) {
		for (uint32_t id = 1; id <= m->n; id++) {
			const struct model_event *e = &m->event[id];

			if (!has_bytes(e, &p->values.at[id]) || e->touch == e[1].touch)
				continue;
			model_expand(m, e->touch, e[1].touch);
			if (borders)
				borders_note(p);
			else
				ends_note(p, &p->values.at[id]);
		}
	}
}

static uint64_t number(const uint8_t *bytes, uint64_t n)
{
	uint64_t v = 0;

	memcpy(&v, bytes, n);
	return v;
}

bool model_value(const struct model *m, uint32_t e, uint32_t cell, uint64_t *read, uint64_t *stored)
{
	const struct model_priv *p = m->priv;
	const struct model_event *x = &m->event[e];
	const struct model_bytes *v;
	const struct model_stretch *c;
	const uint8_t *bytes;
	uint64_t n;

	if (!m->has_values || e >= p->values.n || !has_bytes(x, &p->values.at[e]) ||
	    !model_touches(m, e, cell))
		return false;
	v = &p->values.at[e];
	c = &p->stretches[cell];
	n = c->end - c->first;
	if (v->first == 0 || c->first < v->addr || c->end > v->addr + v->len || n - 1 > 7)
		return false;
	bytes = p->bytes.at + v->first - 1 + (c->first - v->addr);
	if (x->op != STEP_WRITE && read != NULL)
		*read = number(bytes, n);
	if (x->op == STEP_RMW)
		bytes += v->len;
	if (x->op != STEP_READ && stored != NULL)
		*stored = number(bytes, n);
	return true;
}

bool model_left(const struct model *m, uint32_t cell, uint32_t write, uint64_t *value)
{
	struct model_list list = model_cell(m, cell);

	if (write)
		return model_value(m, write, cell, NULL, value);
	for (uint32_t i = 0; i < list.n && !model_writes(&m->event[list.at[i]]); i++)
		if (model_reads(&m->event[list.at[i]]) &&
		    model_value(m, list.at[i], cell, value, NULL))
			return true;
	return false;
}
