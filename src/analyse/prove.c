#include "analyse/prove.h"

#include <string.h>

#include "base/mem.h"
#include "analyse/analyse.h"
#include "finding/finding.h"
#include "order/causal.h"
#include "order/model.h"
#include "order/step.h"
#include "predict/engine.h"
#include "predict/limits.h"
#include "predict/propose.h"
#include "predict/syncp.h"
#include "trace/trace.h"

static bool is_open(const struct finding *f)
{
	return f->kind == FINDING_RACE && !f->claimed && strcmp(f->analysis, engine_shb.name) == 0;
}

/* The last position that is asked about; 0: nothing is. */
static uint64_t last_open(const struct findings *f)
{
	uint64_t last = 0;

	for (size_t i = 0; i < f->at.n; i++)
		if (is_open(&f->at.at[i]) && f->at.at[i].events[1] > last)
			last = f->at.at[i].events[1];
	return last;
}

static enum status model_read(const struct analyse *a, const char *path,
			      const struct trace_options *how, uint64_t upto, struct model **out,
			      struct diag *d)
{
	struct step_options plain = { 0 };
	struct model_options shape = { .limit = upto < UINT32_MAX - 16 ? (uint32_t)upto : 0 };
	struct step_batch b;
	struct trace *t;
	struct steps *s;
	enum status st = trace_open(path, how, &t, d);

	*out = NULL;
	if (st != ST_OK)
		return st;
	*out = model_new(&shape);
	s = steps_new(t, &plain);
	while (!engine_stopped(&a->engine) && (st = steps_next(s, &b, d)) == ST_OK)
		if (!model_take(*out, &b))
			break;
	steps_free(s);
	trace_close(t);
	if (st != ST_OK && st != ST_END)
		return st;
	model_finish(*out);
	return ST_OK;
}

static void prove(const struct analyse *a, const struct model *m, struct findings *f)
{
	struct causal *c = causal_new(m, limits_mode(m, &a->engine));
	uint32_t *cut = mem_alloc((m->nchains + 1) * sizeof(*cut));

	for (size_t i = 0; i < f->at.n && !engine_stopped(&a->engine); i++) {
		struct finding *x = &f->at.at[i];
		uint64_t e1 = x->events[0] - m->base, e2 = x->events[1] - m->base;

		if (!is_open(x) || e2 > m->n)
			continue;
		if (!syncp_pair(m, c, (uint32_t)e1, (uint32_t)e2, cut))
			continue;
		propose_schedule(m, cut, NULL, 0, &x->schedule);
		x->claimed = true;
		x->why = NULL;
	}
	mem_free(cut);
	causal_free(c);
}

enum status prove_findings(const struct analyse *a, const char *path,
			   const struct trace_options *how, const struct model *m,
			   struct findings *f, struct diag *d)
{
	uint64_t upto = last_open(f);
	struct model *own = NULL;
	enum status st = prove_properties(a, path, how, f, d);

	/* Stopped: m may not be finished. */
	if (st != ST_OK || upto == 0 || engine_stopped(&a->engine))
		return st;
	if (!m)
		st = model_read(a, path, how, upto, &own, d);
	if (st == ST_OK)
		prove(a, m ? m : own, f);
	if (own)
		model_free(own);
	return st;
}
