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

#include <assert.h>

#include "base/search.h"
#include "finding/finding.h"
#include "finding/schedule.h"
#include "order/model.h"
#include "predict/engine.h"

/* The index in the chain where the thread of event number `last' begins. */
static uint32_t thread_begin(const struct model *m, struct model_list chain, uint32_t last)
{
	uint32_t tid = m->event[chain.at[last]].tid;

	return SEARCH_PAST(i, 0, last, m->event[chain.at[i]].tid != tid);
}

static void count_thread(struct schedule *out, uint32_t tid, uint64_t n)
{
	VEC_REACH(&out->count, tid);
	out->count.at[tid] = n;
}

static void count_chain(const struct model *m, uint32_t chain, uint32_t cut, struct schedule *out)
{
	struct model_list events = model_chain(m, chain);

	assert(cut <= events.n);
	while (cut > 0) {
		uint32_t begin = thread_begin(m, events, cut - 1);

		count_thread(out, m->event[events.at[begin]].tid, cut - begin);
		cut = begin;
	}
}

void propose_schedule(const struct model *m, const uint32_t *observed, const uint32_t *ids,
		      size_t n, struct schedule *out)
{
	assert(m->base == 0); /* else the counts would lack what came before */
	VEC_CLEAR(&out->count);
	VEC_CLEAR(&out->tail);
	for (uint32_t c = 0; observed && c < m->nchains; c++)
		count_chain(m, c, observed[c], out);
	if (n == 0)
		return;
	VEC_RESERVE(&out->tail, n);
	for (size_t i = 0; i < n; i++)
		*VEC_PUSH(&out->tail) = m->base + ids[i];
}

struct finding *propose_race(struct engine_result *r, const struct engine *engine,
			     const struct model *m, uint32_t e1, uint32_t e2,
			     const uint32_t *observed, const uint32_t *ids, size_t n)
{
	const struct model_event *a = &m->event[e1], *b = &m->event[e2];
	struct finding *f = findings_add_race(&r->findings, engine, m->base + e1, a->site, a->op,
					      m->base + e2, b->site, b->op);

	f->claimed = true;
	propose_schedule(m, observed, ids, n, &f->schedule);
	return f;
}

struct finding *propose_cycle(struct engine_result *r, enum finding_kind kind,
			      const struct engine *engine, const struct model *m,
			      const uint32_t *events, uint32_t n)
{
	struct finding *f = findings_add(&r->findings, kind, engine);

	for (uint32_t i = 0; i < n; i++) {
		const struct model_event *e = &m->event[events[i]];

		finding_add_event(f, m->base + events[i], e->site, e->op);
	}
	return f;
}
