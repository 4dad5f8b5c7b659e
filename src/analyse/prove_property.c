/* Runs for violated properties: the readings that predict/lattice_proofs.h asks for. */
#include <string.h>

#include "analyse/analyse.h"
#include "analyse/prove.h"
#include "finding/finding.h"
#include "monitor/watch.h"
#include "order/step.h"
#include "predict/lattice_proofs.h"
#include "trace/trace.h"

struct reading {
	struct trace *trace;
	struct watch *watch;
	struct steps *steps;
	struct watch_items items; /* of the present batch */
};

static void see(void *arg, struct trace *t, const struct event *e)
{
	struct reading *r = arg;

	watch_see(r->watch, t, e, &r->items);
}

static void reading_close(struct reading *r)
{
	steps_free(r->steps);
	if (r->watch)
		watch_free(r->watch);
	watch_items_release(&r->items);
	if (r->trace)
		trace_close(r->trace);
}

static enum status reading_open(const struct analyse *a, const char *path,
				const struct trace_options *how, struct reading *r, struct diag *d)
{
	struct step_options opt = { .recycle = true, .see = see, .see_arg = r };
	enum status st;

	memset(r, 0, sizeof(*r));
	st = trace_open(path, how, &r->trace, d);
	if (st == ST_OK)
		st = watch_bind(a->engine.monitors->spec, r->trace, &r->watch, d);
	if (st == ST_OK)
		r->steps = steps_new(r->trace, &opt);
	return st;
}

static enum status reading_take(const struct analyse *a, struct reading *r,
				struct lattice_proofs *p, struct diag *d)
{
	uint64_t upto = lattice_proofs_upto(p);
	struct step_batch b;

	while (!engine_stopped(&a->engine)) {
		enum status st;

		VEC_CLEAR(&r->items.at);
		VEC_CLEAR(&r->items.writes);
		st = steps_next(r->steps, &b, d);
		if (st != ST_OK)
			return st == ST_END ? ST_OK : st;
		lattice_proofs_take(p, &b, &r->items);
		if (b.at[b.n - 1].pos > upto)
			break;
	}
	return ST_OK;
}

static enum status read_once(const struct analyse *a, const char *path,
			     const struct trace_options *how, struct lattice_proofs *p,
			     struct diag *d)
{
	struct reading r;
	enum status st = reading_open(a, path, how, &r, d);

	if (st == ST_OK) {
		lattice_proofs_begin(p, r.watch);
		st = reading_take(a, &r, p, d);
	}
	if (st == ST_OK)
		lattice_proofs_end(p);
	reading_close(&r);
	return st;
}

enum status prove_properties(const struct analyse *a, const char *path,
			     const struct trace_options *how, struct findings *f, struct diag *d)
{
	struct lattice_proofs *p = lattice_proofs_new(&a->engine, f);
	enum status st = ST_OK;

	while (st == ST_OK && lattice_proofs_wanted(p))
		st = read_once(a, path, how, p, d);
	lattice_proofs_free(p);
	return st;
}
