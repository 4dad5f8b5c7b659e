#include "predict/lattice_proofs.h"

#include "lattice/causes.h"
#include "lattice/lattice.h"
#include "monitor/config.h"
#include "monitor/watch.h"
#include "predict/engine.h"

/* One finding that has no schedule yet. */
struct proof {
	struct finding *finding;
	struct configs *configs;
	struct lattice *lattice;
	struct causes *causes;
	struct lattice_run run;
};

/* Which reading comes next. */
enum stage { STAGE_RUNS, STAGE_ORDERS, STAGE_OVER };

struct lattice_proofs {
	const struct engine_options *opt;
	enum stage stage;
	VEC(struct proof) at;
};

struct lattice_proofs *lattice_proofs_new(const struct engine_options *opt, struct findings *f)
{
	struct lattice_proofs *p = mem_zalloc(sizeof(*p));

	p->opt = opt;
	for (size_t i = 0; i < f->at.n; i++)
		if (finding_is_property(&f->at.at[i]) && !f->at.at[i].claimed)
			*VEC_PUSH(&p->at) = (struct proof){ .finding = &f->at.at[i] };
	if (p->at.n == 0)
		p->stage = STAGE_OVER;
	return p;
}

static void proof_release(struct proof *x)
{
	causes_free(x->causes);
	lattice_free(x->lattice);
	configs_free(x->configs);
	x->causes = NULL;
	x->lattice = NULL;
	x->configs = NULL;
}

void lattice_proofs_free(struct lattice_proofs *p)
{
	for (size_t i = 0; i < p->at.n; i++) {
		proof_release(&p->at.at[i]);
		VEC_RELEASE(&p->at.at[i].run.pos);
	}
	VEC_RELEASE(&p->at);
	mem_free(p);
}

bool lattice_proofs_wanted(const struct lattice_proofs *p)
{
	return p->stage != STAGE_OVER && !engine_stopped(p->opt);
}

/* ---- the run of points ---- */

static void run_begin(const struct engine_options *opt, const struct watch *watch, struct proof *x)
{
	struct causes_options how = { .kind = x->finding->engine->lattice,
				      .spec = opt->monitors->spec,
				      .box = x->finding->cut.at,
				      .nbox = (uint32_t)x->finding->cut.n };
	struct lattice_options shape = { .breadth = opt->breadth,
					 .budget = opt->budget,
					 .jobs = opt->jobs,
					 .keep = true,
					 .stop = opt->stop };
	struct point_sink sink;

	x->configs = configs_new(opt->monitors, watch_initial(watch));
	shape.configs = x->configs;
	x->lattice = lattice_new(&shape);
	sink = lattice_sink(x->lattice);
	x->causes = causes_new(&how, &sink);
}

/* The engine knew the position alone. */
static void target_note(struct finding *f, const struct step_batch *b)
{
	if (b->n == 0 || b->at[b->n - 1].pos < f->events[0] || b->at[0].pos > f->events[0])
		return;
	for (size_t i = 0; i < b->n; i++)
		if (b->at[i].pos == f->events[0] && !(b->at[i].flags & STEP_MORE)) {
			f->sites[0] = b->at[i].site;
			f->ops[0] = b->at[i].op;
		}
}

static bool is_same(const struct engine_options *opt, const struct finding *f,
		    const struct lattice_found *found)
{
	return found->error == (f->kind == FINDING_PROPERTY_ERROR) &&
	       strcmp(opt->monitors->at[found->property].name, f->property) == 0;
}

/* What was there is there again, unless a limit was met. */
static void run_end(const struct engine_options *opt, struct proof *x)
{
	bool found = false;

	causes_finish(x->causes);
	lattice_finish(x->lattice);
	for (size_t i = 0; i < lattice_nfound(x->lattice) && !found; i++) {
		const struct lattice_found *y = lattice_found(x->lattice, i);

		found = is_same(opt, x->finding, y) && lattice_path(x->lattice, y, &x->run);
		if (found && x->run.pos.n)
			x->finding->events[0] = x->run.pos.at[x->run.pos.n - 1];
	}
	if (!found) {
		x->finding->why =
			"found, but the levels that lead to it did not fit in memory again";
		VEC_CLEAR(&x->run.pos);
	}
	proof_release(x);
}

/* ---- all events ---- */

static void order_begin(const struct engine_options *opt, struct proof *x)
{
	struct causes_options how = { .kind = x->finding->engine->lattice,
				      .spec = opt->monitors->spec,
				      .path = x->run.pos.at,
				      .npath = x->run.pos.n };

	if (x->run.pos.n != 0)
		x->causes = causes_new(&how, NULL);
}

static void order_end(struct proof *x)
{
	if (!x->causes)
		return;
	causes_finish(x->causes);
	causes_order(x->causes, &x->finding->schedule);
	x->finding->claimed = true;
	x->finding->why = NULL;
	proof_release(x);
}

/* ---- readings ---- */

void lattice_proofs_begin(struct lattice_proofs *p, const struct watch *watch)
{
	for (size_t i = 0; i < p->at.n; i++) {
		if (p->stage == STAGE_RUNS)
			run_begin(p->opt, watch, &p->at.at[i]);
		else
			order_begin(p->opt, &p->at.at[i]);
	}
}

uint64_t lattice_proofs_upto(const struct lattice_proofs *p)
{
	uint64_t last = 0;

	/* A set is complete when a later write has been seen, wherever that is. */
	if (p->stage == STAGE_RUNS)
		return UINT64_MAX;
	for (size_t i = 0; i < p->at.n; i++)
		for (size_t k = 0; k < p->at.at[i].run.pos.n; k++)
			if (p->at.at[i].run.pos.at[k] > last)
				last = p->at.at[i].run.pos.at[k];
	return last;
}

void lattice_proofs_take(struct lattice_proofs *p, const struct step_batch *b,
			 const struct watch_items *items)
{
	for (size_t i = 0; i < p->at.n; i++) {
		struct proof *x = &p->at.at[i];

		if (!x->causes)
			continue;
		causes_take(x->causes, b, items);
		target_note(x->finding, b);
	}
}

void lattice_proofs_end(struct lattice_proofs *p)
{
	bool more = false;

	for (size_t i = 0; i < p->at.n && !engine_stopped(p->opt); i++) {
		if (p->stage == STAGE_RUNS)
			run_end(p->opt, &p->at.at[i]);
		else
			order_end(&p->at.at[i]);
		more |= p->at.at[i].run.pos.n != 0;
	}
	p->stage = p->stage == STAGE_RUNS && more ? STAGE_ORDERS : STAGE_OVER;
}
