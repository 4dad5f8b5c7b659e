/*
 * Reads that are in no record (order/model.h, model_stay), as touches of the nodes that may follow them.
 *
 * In every reordering the last node of a chain that is in, and so each before it, comes before other
 * chains write what such a read saw.  That is what a needed read says; so the nodes of a stay
 * get a touch of each of its cells.  Only cells that other chains write, in the universe, matter.
 */
#include "predict/exact_priv.h"

#define MANY UINT32_MAX

/* Cells to the chain that writes them, or MANY. */
static void find_writers(const struct exact *x, struct map *writer)
{
	const struct model *m = x->m;

	for (uint32_t v = 0; v < x->nodes.n; v++) {
		const struct model_event *e = &m->event[x->nodes.at[v].id];

		for (uint32_t i = e->touch; model_writes(e) && i < e[1].touch; i++) {
			bool fresh;
			uint64_t *w = map_put(writer, m->touches[i].cell, &fresh);

			*w = fresh || *w == e->chain ? e->chain : MANY;
		}
	}
}

static void stay_add(struct exact *x, uint32_t k, const struct model_stay *s,
		     const struct map *writer)
{
	const struct model_event *r = &x->m->event[s->id];
	uint32_t c = x->chain.at[k], lo = x->lo[c], offset = x->offset.at[k];
	uint32_t first = s->first > lo ? s->first : lo;
	uint32_t end = s->end < x->top[c] ? s->end : x->top[c];
	uint32_t epoch = s->epoch > lo ? s->epoch : lo;

	for (uint32_t i = r->touch; first < end && i < r[1].touch; i++) {
		const struct model_touch *t = &x->m->touches[i];
		const uint64_t *w = map_get(writer, t->cell);

		if (!w || *w == c)
			continue;
		*VEC_PUSH(&x->stays) = (struct exact_stay){ offset + first - lo, offset + end - lo,
							    offset + epoch - lo, t->cell, t->seen };
		x->clipped |= s->end == UINT32_MAX; /* it need not be one */
	}
}

/* Most traces have none, and then nobody need look for writers. */
static bool has_stays(const struct exact *x)
{
	for (uint32_t k = 0; k < x->nchains; k++) {
		uint32_t c = x->chain.at[k];
		struct model_stays s = model_stays(x->m, c, x->lo[c]);

		if (s.n != 0 && s.at[0].epoch < x->top[c])
			return true;
	}
	return false;
}

void exact_stays_find(struct exact *x)
{
	struct map writer = { 0 };

	VEC_CLEAR(&x->stays);
	x->stays_at = 0;
	if (!has_stays(x))
		return;
	find_writers(x, &writer);
	for (uint32_t k = 0; k < x->nchains; k++) {
		uint32_t c = x->chain.at[k];
		struct model_stays s = model_stays(x->m, c, x->lo[c]);

		for (uint32_t i = 0; i < s.n && s.at[i].epoch < x->top[c]; i++)
			stay_add(x, k, &s.at[i], &writer);
	}
	map_release(&writer);
}

void exact_stays_add(struct exact *x, uint32_t node)
{
	if (x->m->event[x->nodes.at[node].id].flags & STEP_SHADOW)
		return;
	while (x->stays_at < x->stays.n && x->stays.at[x->stays_at].end <= node)
		x->stays_at++;
	for (size_t i = x->stays_at; i < x->stays.n; i++) {
		const struct exact_stay *s = &x->stays.at[i];

		if (s->epoch > node) /* of a later chain too */
			return;
		if (s->first <= node)
			*VEC_PUSH(&x->touches) =
				(struct exact_touch){ .cell = exact_build_cell(x, s->cell),
						      .node = node,
						      .rf = s->seen,
						      .reads = true,
						      .stays = true };
	}
}
