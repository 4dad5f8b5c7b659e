#include "predict/blocks.h"

#include "order/model.h"

static void chain_walk(struct blocks *b, const struct model *m, uint32_t chain)
{
	struct model_list list = model_chain(m, chain);
	uint32_t depth = 0, first = 0, tid = 0;
	bool called = false; /* in a function that is meant to be atomic */

	for (uint32_t i = 0; i < list.n; i++) {
		uint32_t e = list.at[i];
		const struct model_event *v = &m->event[e];

		if (v->tid != tid) /* a chain is one thread after the other */
			depth = first = called = 0;
		tid = v->tid;
		if (v->calls & MODEL_LEFT)
			called = false;
		if (depth == 0 && !called)
			first = 0;
		called |= (v->calls & MODEL_ENTERED) != 0;
		depth += v->op == STEP_BEGIN;
		if ((depth > 0 || called) && first == 0) {
			first = e;
			b->n++;
		}
		b->of[e] = first;
		depth -= v->op == STEP_END && depth > 0;
		if ((depth == 0 && !called) || v->op == STEP_PARK)
			first = 0;
	}
}

void blocks_init(struct blocks *b, const struct model *m)
{
	b->of = mem_zalloc(((size_t)m->n + 2) * sizeof(*b->of));
	b->n = 0;
	for (uint32_t c = 0; c < m->nchains; c++)
		chain_walk(b, m, c);
}

void blocks_release(struct blocks *b)
{
	mem_free(b->of);
}
