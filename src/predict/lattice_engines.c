/*
 * Temporal properties on every run that the recording proves possible: steps into points
 * (lattice/causes.h), points into levels, and what was found there into findings.
 *
 *	lattice-mvc	algorithm A
 *	lattice-weak	weak happens-before
 *	property	the same; the name that users ask for
 *
 * Without a spec they count cuts and runs.
 *
 * The recorded run is watched apart from the lattice: it needs no proof, goes on past events that no
 * reordering can have, and is never cut short.  A property that it violates is reported there; of
 * the others the first level that has a violation, by its cut, from which analyse/prove.c finds the way.
 */
#include "predict/engine.h"

#include "lattice/causes.h"
#include "monitor/config.h"

/* Levels are built when so many steps have come.  Not at once, for a thread that nobody forked
 * (text has such) could have run from the start and is known only when it does something. */
#define BUILD_STEPS (1u << 16)
#define SWEEP_ITEMS 4096u

/* The recorded run: which properties it has violated, and where. */
struct observed {
	struct configs *configs;
	uint32_t config;
	uint64_t bad, error, unknown; /* told already */
	uint32_t items;		      /* since the last sweep */
	VEC(uint64_t) count;	      /* events so far, by tid */
};

struct lattices {
	struct engine_options opt;
	const struct engine *row;
	struct causes *causes;
	struct configs *configs; /* NULL: no spec */
	struct lattice *lattice;
	struct observed observed;
	size_t steps;		    /* since levels were built */
	struct engine_result early; /* findings of the recorded run, and notes */
};

/* ---- the recorded run ---- */

static void observed_find(struct lattices *x, uint64_t found, enum finding_kind kind,
			  const struct step *s)
{
	for (uint32_t p = 0; p < x->opt.monitors->n; p++) {
		struct finding *f;

		if (!(found >> p & 1))
			continue;
		f = findings_add_property(&x->early.findings, kind, x->row,
					  x->opt.monitors->at[p].name);
		f->claimed = f->observed = true;
		if (!s)
			continue;
		finding_add_event(f, s->pos, s->site, s->op);
		for (size_t t = 0; t < x->observed.count.n; t++)
			*VEC_PUSH(&f->schedule.count) = x->observed.count.at[t];
	}
}

static const char *trouble(const struct configs *c, uint32_t property)
{
	const char *why = configs_trouble(c, property);

	return why ? why : "a value is not known";
}

static void observed_unknown(struct lattices *x, uint64_t found, const struct step *s)
{
	for (uint32_t p = 0; p < x->opt.monitors->n; p++) {
		char from[64] = "the start";

		if (!(found >> p & 1))
			continue;
		if (s)
			snprintf(from, sizeof(from), "event %" PRIu64 " on", s->pos);
		texts_add(&x->early.truncated, "property '%s' says nothing from %s: %s",
			  x->opt.monitors->at[p].name, from, trouble(x->observed.configs, p));
	}
}

/* What is new in the configuration; s: the event that led there, NULL the initial state. */
static void observed_look(struct lattices *x, const struct step *s)
{
	struct observed *o = &x->observed;
	uint64_t bad = config_bad(o->configs, o->config);
	uint64_t error = config_error(o->configs, o->config);
	uint64_t unknown = config_unknown(o->configs, o->config);

	if (bad & ~o->bad)
		observed_find(x, bad & ~o->bad, FINDING_PROPERTY, s);
	if (error & ~o->error)
		observed_find(x, error & ~o->error, FINDING_PROPERTY_ERROR, s);
	if (unknown & ~o->unknown)
		observed_unknown(x, unknown & ~o->unknown, s);
	o->bad = bad;
	o->error = error;
	o->unknown = unknown;
}

static void observed_begin(struct lattices *x)
{
	struct observed *o = &x->observed;

	o->configs = configs_new(x->opt.monitors, watch_initial(x->opt.watch));
	o->config = config_initial(o->configs);
	observed_look(x, NULL);
}

static void observed_step(struct lattices *x, const struct step *s, const struct watch_item *item)
{
	struct observed *o = &x->observed;

	o->config = config_step(o->configs, o->config, item, x->opt.items->writes.at, item->pos, 0);
	observed_look(x, s);
	if (++o->items < SWEEP_ITEMS)
		return;
	o->items = 0;
	config_mark(o->configs, o->config);
	configs_sweep(o->configs);
}

static void observed_take(struct lattices *x, const struct step_batch *b)
{
	const struct watch_items *items = x->opt.items;
	size_t at = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct step *s = &b->at[i];

		if (s->flags & STEP_MORE)
			continue;
		VEC_REACH(&x->observed.count, s->tid);
		x->observed.count.at[s->tid]++;
		while (at < items->at.n && items->at.at[at].pos < s->pos)
			at++;
		if (at < items->at.n && items->at.at[at].pos == s->pos)
			observed_step(x, s, &items->at.at[at]);
	}
}

/* ---- begin, steps ---- */

void *lattices_begin(const struct engine *row, const struct engine_options *opt)
{
	struct lattices *x = mem_zalloc(sizeof(*x));
	struct causes_options how = { .kind = row->lattice };
	struct lattice_options shape = { .count = opt->count,
					 .breadth = opt->breadth,
					 .budget = opt->budget,
					 .horizon = opt->horizon,
					 .jobs = opt->jobs,
					 .stop = opt->stop };
	struct point_sink sink;

	x->opt = *opt;
	x->row = row;
	if (opt->monitors && opt->watch) {
		how.spec = opt->monitors->spec;
		x->configs = configs_new(opt->monitors, watch_initial(opt->watch));
		observed_begin(x);
	}
	shape.configs = x->configs;
	x->lattice = lattice_new(&shape);
	sink = lattice_sink(x->lattice);
	x->causes = causes_new(&how, &sink);
	return x;
}

/* An empty batch: no more for now, so what can be built is. */
void lattices_steps(void *arg, const struct step_batch *b)
{
	struct lattices *x = arg;

	if (x->configs)
		observed_take(x, b);
	causes_take(x->causes, b, x->configs ? x->opt.items : NULL);
	x->steps += b->n;
	if (b->n && x->steps < BUILD_STEPS)
		return;
	x->steps = 0;
	lattice_build(x->lattice);
}

uint64_t lattices_found(const void *arg)
{
	const struct lattices *x = arg;
	uint64_t found = x->observed.bad | x->observed.error;

	for (size_t i = 0; i < lattice_nfound(x->lattice); i++)
		found |= UINT64_C(1) << lattice_found(x->lattice, i)->property;
	return found;
}

/* ---- end ---- */

/* Where the recorded run is good and another one is not. */
static void found_add(struct lattices *x, const struct lattice_found *found,
		      struct engine_result *out)
{
	uint64_t told = found->error ? x->observed.error : x->observed.bad;
	struct finding *f;

	if (told >> found->property & 1)
		return;
	f = findings_add_property(&out->findings,
				  found->error ? FINDING_PROPERTY_ERROR : FINDING_PROPERTY, x->row,
				  x->opt.monitors->at[found->property].name);
	f->why = "its run was not written out";
	finding_add_event(f, found->pos, 0, STEP_NONE);
	for (size_t i = 0; i < found->cut.n; i++)
		*VEC_PUSH(&f->cut) = found->cut.at[i];
}

/* The recorded run could be judged, and another one not: that none violates it is not known. */
static void unknown_take(struct lattices *x, struct engine_result *out)
{
	uint64_t left = lattice_unknown(x->lattice) & ~x->observed.unknown & ~lattices_found(x);

	for (; left; left &= left - 1) {
		uint32_t p = (uint32_t)__builtin_ctzll(left);

		texts_add(&out->truncated, "property '%s' says nothing of some runs: %s",
			  x->opt.monitors->at[p].name, trouble(x->configs, p));
	}
}

static void counts_take(struct lattices *x, struct engine_result *out)
{
	struct lattice_counts *counts = mem_zalloc(sizeof(*counts));

	lattice_counts(x->lattice, counts);
	if (counts->truncated)
		texts_add(&out->truncated, "%s: %s", x->row->name, counts->why);
	out->lattice = counts;
}

void lattices_end(void *arg, struct engine_result *out)
{
	struct lattices *x = arg;

	causes_finish(x->causes);
	lattice_finish(x->lattice);
	*out = x->early;
	for (size_t i = 0; x->configs && i < lattice_nfound(x->lattice); i++)
		found_add(x, lattice_found(x->lattice, i), out);
	if (x->configs)
		unknown_take(x, out);
	counts_take(x, out);
	causes_free(x->causes);
	lattice_free(x->lattice);
	configs_free(x->configs);
	configs_free(x->observed.configs);
	VEC_RELEASE(&x->observed.count);
	mem_free(x);
}
