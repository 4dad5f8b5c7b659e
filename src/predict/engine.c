/*
 * The engines there are, and what every one of them needs.
 */
#include "predict/engine.h"

#define X(row, title, says, what, sure, ...)                         \
	const struct engine engine_##row = { .name = (title),        \
					     .summary = (says),      \
					     .aim = ENGINE_##what,   \
					     .proof = ENGINE_##sure, \
					     __VA_ARGS__ };
ENGINES(X)
#undef X

const struct engine *const engine_table[] = {
#define X(row, ...) &engine_##row,
	ENGINES(X)
#undef X
		NULL,
};

const struct engine *engine_find(const char *name)
{
	for (const struct engine *const *e = engine_table; *e; e++)
		if (strcmp((*e)->name, name) == 0)
			return *e;
	return NULL;
}

/* --- results ---------------------------------------------------------------- */

void engine_result_release(struct engine_result *r)
{
	findings_release(&r->findings);
	texts_release(&r->truncated);
	if (r->lattice)
		lattice_counts_release(r->lattice);
	mem_free(r->lattice);
}

void engine_count(struct engine_counts *c, enum goal_outcome outcome)
{
	c->candidates++;
	c->predicted += outcome == GOAL_FOUND;
	c->refuted += outcome == GOAL_REFUTED;
	c->searched += outcome == GOAL_SEARCHED || outcome == GOAL_HEARD;
	c->undecided += outcome == GOAL_UNDECIDED;
}

/* --- what engines at the end share ------------------------------------------ */

struct engine_run *engine_run_new(const struct model *m)
{
	struct engine_run *run = mem_zalloc(sizeof(*run));

	run->model = m;
	return run;
}

void engine_run_free(struct engine_run *run)
{
	if (!run)
		return;
	for (int i = 0; i < CAUSAL_MODES; i++)
		causal_free(run->causal[i]);
	mem_free(run);
}

const struct causal *engine_causal(struct engine_run *run, enum causal_mode mode)
{
	/* Without pairs there is nothing to count, and the two are one. */
	if (!run->model->has_pairs && (mode == CAUSAL_MUST_STRICT || mode == CAUSAL_MUST_DEP))
		mode = mode == CAUSAL_MUST_DEP ? CAUSAL_DEP : CAUSAL_STRICT;
	if (!run->causal[mode])
		run->causal[mode] = causal_new(run->model, mode, false);
	return run->causal[mode];
}

/* --- from events to findings -------------------------------------------------
 *
 * Cuts count events of chains, schedules those of threads.  A chain is one thread after the
 * other, so a cut of it takes in whole threads and then a first part of one:
 *
 *	chain	| T2 T2 T2 | T5 T5 | T9 T9 T9 T9
 *	cut 6	----------------------^		T2: 3, T5: 2, T9: 1
 */

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

void engine_schedule(const struct model *m, const struct exact_order *order, struct schedule *out)
{
	assert(m->base == 0); /* else the counts would lack what came before */
	VEC_CLEAR(&out->count);
	VEC_CLEAR(&out->tail);
	for (uint32_t c = 0; c < order->observed.n; c++)
		count_chain(m, c, order->observed.at[c], out);
	for (size_t i = 0; i < order->ids.n; i++)
		*VEC_PUSH(&out->tail) = m->base + order->ids.at[i];
}

struct finding *engine_propose(struct engine_result *r, enum finding_kind kind,
			       const struct engine *engine, const struct model *m,
			       const uint32_t *events, uint32_t n, const struct exact_order *order)
{
	struct finding *f = findings_add(&r->findings, kind, engine);

	for (uint32_t i = 0; i < n; i++) {
		const struct model_event *e = &m->event[events[i]];

		finding_add_event(f, m->base + events[i], e->site, e->op);
	}
	f->claimed = order != NULL;
	if (order)
		engine_schedule(m, order, &f->schedule);
	return f;
}
