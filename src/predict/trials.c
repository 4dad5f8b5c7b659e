/*
 * Work goes in waves of pieces of the candidates, and in blocks of groups within a wave.  Within a
 * block the threads share the work; between two the findings are proposed in order and counted.
 * So memory is bounded by a wave, and where a limit strikes does not depend on the number of
 * threads.
 *
 * A signature may come up in several waves.  Once found it is skipped; it is refuted if each
 * wave refutes the pairs it has.
 */
#include "predict/trials.h"

#include "base/map.h"
#include "base/pool.h"
#include "predict/candidates.h"
#include "predict/census.h"
#include "predict/engine.h"
#include "predict/exact.h"
#include "predict/goal.h"
#include "predict/limits.h"
#include "predict/osr.h"
#include "predict/propose.h"
#include "predict/shortlist.h"

#define WAVE 64u /* pieces */
#define BLOCK 1024u

struct result {
	enum goal_outcome outcome;
	uint64_t group;
	uint32_t e1, e2;
	struct exact_order order;
};

struct trials {
	struct trials_setup s;
	unsigned jobs;
	struct osr **osr;     /* by worker */
	struct exact **exact; /* by worker; NULL without */
	struct result *results;
	struct map outcomes; /* by group; written between blocks only */
	const struct shortlist *list;
	size_t first; /* group of the block at hand */
	bool full, list_is_cut;
};

struct trials *trials_new(const struct trials_setup *setup)
{
	struct trials *t = mem_zalloc(sizeof(*t));

	t->s = *setup;
	t->jobs = setup->opt->jobs ? setup->opt->jobs : 1;
	t->results = mem_zalloc(BLOCK * sizeof(*t->results));
	t->osr = mem_zalloc(t->jobs * sizeof(struct osr *));
	t->exact = setup->exact ? mem_zalloc(t->jobs * sizeof(struct exact *)) : NULL;
	for (unsigned i = 0; i < t->jobs; i++) {
		if (setup->c)
			t->osr[i] =
				osr_new(setup->m, setup->c, setup->is_strict, setup->opt->budget);
		if (t->exact)
			t->exact[i] = exact_new(setup->m, setup->exact, setup->opt);
	}
	return t;
}

void trials_free(struct trials *t)
{
	for (unsigned i = 0; i < t->jobs; i++) {
		osr_free(t->osr[i]);
		if (t->exact)
			exact_free(t->exact[i]);
	}
	for (size_t i = 0; i < BLOCK; i++)
		exact_order_release(&t->results[i].order);
	map_release(&t->outcomes);
	MEM_FREE_ALL(t->results, t->osr, t->exact, t);
}

void trials_settle(struct trials *t, uint32_t e1, uint32_t e2, uint64_t signature)
{
	*map_put(&t->outcomes, t->s.opt->all_pairs ? shortlist_group_of(e1, e2) : signature, NULL) =
		GOAL_FOUND;
}

static void try_group(void *arg, size_t i, unsigned worker)
{
	struct trials *t = arg;
	struct result *r = &t->results[i];
	struct shortlist_group g = shortlist_at(t->list, t->first + i);
	struct goals goals = { g.at->e, sizeof(*g.at), g.n, 2, g.complete };
	uint64_t budget = t->s.opt->budget ? t->s.opt->budget : LIMIT_EXACT_STEPS;
	uint32_t last = 0;

	r->group = g.at[0].group;
	r->outcome = GOAL_UNDECIDED;
	if (engine_stopped(t->s.opt))
		return;
	if (t->osr[worker])
		r->outcome = osr_try(t->osr[worker], &goals, &r->order, &last);
	if (r->outcome != GOAL_FOUND && t->exact)
		r->outcome = exact_try(t->exact[worker], &goals, budget, &r->order, &last);
	r->e1 = g.at[last].e[0];
	r->e2 = g.at[last].e[1];
}

static bool is_full(const struct trials *t, const struct engine_result *out)
{
	return out->findings.at.n >= (t->s.opt->all_pairs ? LIMIT_PAIRS : LIMIT_SIGNATURES);
}

static void take_result(struct trials *t, struct result *r, struct engine_result *out)
{
	uint64_t *known = map_put(&t->outcomes, r->group, NULL);

	if (r->outcome == GOAL_FOUND && is_full(t, out)) {
		t->full = true;
		r->outcome = GOAL_UNDECIDED;
	}
	if (*known < r->outcome)
		*known = r->outcome;
	if (r->outcome == GOAL_FOUND)
		propose_race(out, t->s.engine, t->s.m, r->e1, r->e2,
			     r->order.observed.n ? r->order.observed.at : NULL, r->order.ids.at,
			     r->order.ids.n);
}

static bool goes_on(const struct trials *t)
{
	return !t->full && !engine_stopped(t->s.opt);
}

static void run_wave(struct trials *t, const struct shortlist *l, struct engine_result *out)
{
	size_t total = shortlist_count(l);

	t->list = l;
	t->list_is_cut |= shortlist_is_cut(l);
	for (t->first = 0; t->first < total && goes_on(t); t->first += BLOCK) {
		size_t n = total - t->first < BLOCK ? total - t->first : BLOCK;

		pool_run(t->jobs, n, try_group, t);
		for (size_t i = 0; i < n; i++)
			take_result(t, &t->results[i], out);
	}
}

static bool is_settled(void *arg, uint64_t group)
{
	const struct trials *t = arg;
	const uint64_t *known = map_get(&t->outcomes, group);

	return known && *known == GOAL_FOUND;
}

static void say_limits(const struct trials *t, struct engine_result *out, uint64_t undecided)
{
	const char *what = t->s.opt->all_pairs ? "pairs" : "pairs of places";

	if (t->list_is_cut)
		texts_add(&out->truncated, "%s: too many pairs of accesses; not all were looked at",
			  t->s.engine->name);
	if (t->full)
		texts_add(&out->truncated, "%s: more than %zu %s; the first ones are shown",
			  t->s.engine->name, out->findings.at.n, what);
	else if (undecided > 0 && !engine_stopped(t->s.opt))
		texts_add(&out->truncated, "%s: budget spent on %llu %s", t->s.engine->name,
			  (unsigned long long)undecided, what);
}

/* How signatures ended. */
struct count {
	uint64_t found, refuted, searched, undecided;
	bool all; /* false: stopped, or a limit was reached; not all were tried */
};

/* Candidates that were in no list have only pairs that were refuted on the way, if all were
 * looked at. */
static void tell(const struct trials *t, const struct causal *hard, const struct count *count,
		 struct engine_result *out)
{
	struct engine_counts *c = &out->counts;
	uint64_t known = count->found + count->refuted + count->searched + count->undecided, rest;
	bool counted;

	out->counted = true;
	c->candidates = census(t->s.m, hard, t->s.candidates, t->s.opt, &counted);
	if (!counted)
		texts_add(&out->truncated, "%s: not all candidates were counted",
			  t->s.engine->name);
	if (c->candidates < known)
		c->candidates = known;
	rest = c->candidates - known;
	c->predicted = count->found;
	c->searched = count->searched;
	c->undecided = count->undecided + (count->all ? 0 : rest);
	c->refuted = count->refuted + (count->all ? rest : 0);
}

void trials_run(struct trials *t, const struct causal *hard, struct engine_result *out)
{
	const struct engine_options *opt = t->s.opt;
	struct shortlist_source source = { t->s.m,	    t->s.exact ? t->s.exact : t->s.c,
					   t->s.candidates, opt,
					   is_settled,	    t };
	size_t pieces = candidates_npieces(t->s.candidates), i = 0;
	uint64_t n[GOAL_OUTCOMES] = { 0 };
	struct map_item item;
	struct count count;
	bool was_full = is_full(t, out); /* by an earlier stage, which has said so */

	t->full = was_full;
	for (size_t p = 0; p < pieces && goes_on(t); p += WAVE) {
		struct shortlist *l =
			shortlist_new(&source, p, pieces - p < WAVE ? pieces - p : WAVE);

		if (opt->progress)
			opt->progress(opt->progress_arg, t->s.engine->name, p, pieces);
		run_wave(t, l, out);
		shortlist_free(l);
	}
	while (map_next(&t->outcomes, &i, &item))
		n[item.value]++;
	count = (struct count){ n[GOAL_FOUND], n[GOAL_REFUTED], n[GOAL_SEARCHED], n[GOAL_UNDECIDED],
				goes_on(t) && !t->list_is_cut };
	if (!was_full)
		say_limits(t, out, n[GOAL_UNDECIDED]);
	if (hard && !opt->all_pairs)
		tell(t, hard, &count, out);
}
