/*
 * Threads that wait for a lock they hold themselves.
 *
 * Whoever asks twice for a lock that does not nest waits for ever, in every run: so the recorded
 * run ended there, and the last event of the thread is the request.
 */
#include "base/mem.h"
#include "order/causal.h"
#include "predict/closure.h"
#include "predict/deadlocks_priv.h"
#include "predict/engine.h"
#include "predict/goal.h"
#include "predict/lockgraph.h"
#include "predict/propose.h"

static bool holds_itself(const struct model *m, const struct model_event *v)
{
	for (uint32_t h = v->hold; h != 0; h = m->holds[h].next)
		if (m->holds[h].lock == v->obj && (v->op == STEP_REQ || !m->holds[h].shared))
			return true;
	return false;
}

/* Two readers that both want to write wait for themselves and for each other; once is enough,
 * unless that one is only a warning. */
static bool is_told(const struct engine_result *out, uint64_t pos)
{
	for (size_t i = 0; i < out->findings.at.n; i++) {
		const struct finding *f = &out->findings.at.at[i];

		for (uint32_t k = 0; f->claimed && k < f->nevents; k++)
			if (f->events[k] == pos)
				return true;
	}
	return false;
}

void deadlocks_own(struct engine_run *run, const struct engine *engine, struct engine_result *out)
{
	const struct model *m = engine_model(run);
	uint32_t *cut = NULL;

	for (uint32_t e = 1; e <= m->n; e++) {
		const struct model_event *v = &m->event[e];
		struct goal g = { .next = &e, .nnext = 1 };
		struct finding *f;

		if ((v->op != STEP_REQ && v->op != STEP_RREQ) || (v->flags & STEP_TRY) ||
		    m->is_loose[v->obj] || !holds_itself(m, v) || !lockgraph_is_last(m, e) ||
		    is_told(out, m->base + e))
			continue;
		if (!cut)
			cut = mem_alloc(((size_t)m->nchains + 1) * sizeof(*cut));
		out->counts.candidates++;
		f = propose_cycle(out, FINDING_DEADLOCK, engine, m, &e, 1);
		if (closure_reach(m, engine_causal(run, CAUSAL_STRICT), &g, cut)) {
			f->claimed = true;
			out->counts.predicted++;
			propose_schedule(m, cut, NULL, 0, &f->schedule);
		} else {
			out->counts.undecided++;
			f->why = "what came before it is not known well enough to repeat it";
		}
	}
	mem_free(cut);
}
