#include "analyse/pass.h"
#include "compare/csp.h"
#include "predict/lattice_proofs.h"

/* ---- races ---- */

static bool is_open(const struct finding *f)
{
	return f->kind == FINDING_RACE && !f->claimed && f->engine->proof == ENGINE_ASKS;
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
	struct model_options shape = { .limit = upto < UINT32_MAX - 16 ? (uint32_t)upto : 0,
				       .stop = a->engine.stop };
	struct reading r;
	enum status st = reading_open(&r, path, how, NULL, d);

	*out = model_new(&shape);
	if (st == ST_OK)
		st = reading_model(&r, *out, a->engine.stop, d);
	reading_close(&r);
	if (st != ST_OK && st != ST_END)
		return st;
	model_finish(*out);
	return ST_OK;
}

static void prove(const struct analyse *a, const struct model *m, struct findings *f)
{
	struct causal *c = causal_new(m, engine_mode(m, &a->engine), false);
	struct exact_order order = { 0 };

	for (size_t i = 0; i < f->at.n && !engine_stopped(&a->engine); i++) {
		struct finding *x = &f->at.at[i];
		uint32_t next[] = { (uint32_t)(x->events[0] - m->base),
				    (uint32_t)(x->events[1] - m->base) };
		struct goal goal = { .next = next, .nnext = 2 };

		if (!is_open(x) || x->events[1] - m->base > m->n)
			continue;
		if (!goal_reach(&goal, m, c, exact_order_clear(&order, m)))
			continue;
		engine_schedule(m, &order, &x->schedule);
		x->claimed = true;
		x->why = NULL;
	}
	exact_order_release(&order);
	causal_free(c);
}

/* ---- what was declined ---- */

/* By another order; or none is known, and the finding says so.  True: there is one. */
static bool retry(struct csp_retry *r, struct findings *f, struct finding *x)
{
	enum goal_outcome outcome = csp_retry(r, x);

	x->refuted = outcome == GOAL_REFUTED;
	if (outcome == GOAL_FOUND) {
		x->claimed = true;
		x->why = NULL;
	} else if (x->refuted) {
		x->why = texts_add(&f->words,
				   "refuted: no order of the recorded events that keeps what was "
				   "read leads there; %s",
				   x->why);
	}
	return outcome == GOAL_FOUND;
}

bool prove_declined(const struct analyse *a, const struct model *m, struct findings *f)
{
	struct csp_retry *r = csp_retry_new(m, &a->engine);
	struct map sure = { 0 };
	bool any = false;

	for (size_t i = 0; i < f->at.n; i++)
		if (f->at.at[i].certified)
			map_put(&sure, finding_signature(&f->at.at[i]), NULL);
	for (size_t i = 0; i < f->at.n && !engine_stopped(&a->engine); i++)
		if (f->at.at[i].declined && !map_get(&sure, finding_signature(&f->at.at[i])))
			any |= retry(r, f, &f->at.at[i]);
	map_release(&sure);
	csp_retry_free(r);
	return any;
}

/* ---- properties ---- */

static enum status read_once(const struct analyse *a, const char *path,
			     const struct trace_options *how, struct lattice_proofs *p,
			     struct diag *d)
{
	uint64_t upto = lattice_proofs_upto(p), at = 0;
	struct reading r;
	struct step_batch b;
	enum status st = reading_open(&r, path, how, a->engine.monitors->spec, d);

	if (st == ST_OK) {
		reading_steps(&r, &(struct step_options){ .recycle = true });
		lattice_proofs_begin(p, r.watch);
	}
	while (st == ST_OK && !engine_stopped(&a->engine) && at <= upto) {
		st = reading_next(&r, &b, d);
		if (st != ST_OK)
			break;
		lattice_proofs_take(p, &b, &r.items);
		at = b.at[b.n - 1].pos;
	}
	if (st == ST_OK || st == ST_END)
		lattice_proofs_end(p);
	reading_close(&r);
	return st == ST_END ? ST_OK : st;
}

/* The readings that predict/lattice_proofs.h asks for. */
static enum status prove_properties(const struct analyse *a, const char *path,
				    const struct trace_options *how, struct findings *f,
				    struct diag *d)
{
	struct lattice_proofs *p = lattice_proofs_new(&a->engine, f);
	enum status st = ST_OK;

	while (st == ST_OK && lattice_proofs_wanted(p))
		st = read_once(a, path, how, p, d);
	lattice_proofs_free(p);
	return st;
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
