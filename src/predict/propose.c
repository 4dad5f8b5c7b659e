/*
 * Cuts count events of chains, schedules those of threads.
 *
 * A chain is one thread after the other, so a cut of it takes in whole threads and then a
 * first part of one:
 *
 *	chain	| T2 T2 T2 | T5 T5 | T9 T9 T9 T9
 *	cut 6	----------------------^		T2: 3, T5: 2, T9: 1
 */
#include "predict/propose.h"

static void count_chain(const struct model *m, uint32_t chain, uint32_t cut, struct schedule *out)
{
	struct model_list events = model_chain(m, chain);

	assert(cut <= events.n);
	while (cut > 0) {
		uint32_t tid = m->event[events.at[cut - 1]].tid;
		uint32_t begin = SEARCH_PAST(i, 0, cut, m->event[events.at[i]].tid != tid);

		VEC_REACH(&out->count, tid);
		out->count.at[tid] = cut - begin;
		cut = begin;
	}
}

void propose_schedule(const struct model *m, const struct exact_order *order, struct schedule *out)
{
	assert(m->base == 0); /* else the counts would lack what came before */
	VEC_CLEAR(&out->count);
	VEC_CLEAR(&out->tail);
	for (uint32_t c = 0; c < order->observed.n; c++)
		count_chain(m, c, order->observed.at[c], out);
	for (size_t i = 0; i < order->ids.n; i++)
		*VEC_PUSH(&out->tail) = m->base + order->ids.at[i];
}

struct finding *propose(struct engine_result *r, enum finding_kind kind,
			const struct engine *engine, const struct model *m, const uint32_t *events,
			uint32_t n, const struct exact_order *order)
{
	struct finding *f = findings_add(&r->findings, kind, engine);

	for (uint32_t i = 0; i < n; i++) {
		const struct model_event *e = &m->event[events[i]];

		finding_add_event(f, m->base + events[i], e->site, e->op);
	}
	f->claimed = order != NULL;
	if (order)
		propose_schedule(m, order, &f->schedule);
	return f;
}
