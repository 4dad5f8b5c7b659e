/*
 * The engine "races": the sound engines one after the other, each on what the ones before have
 * left; and its stages alone, "syncp", "osr" and "exact".
 *
 *	candidates	locks and hard edges allow it
 *	syncp		in observed order; cheap, decides whole classes; strictly, then by facts
 *	osr		some sections reversed; one pair after the other
 *	exact		any reordering; a budget for each pair of places
 *
 * Each finding has a schedule.  What has none is counted: refuted when every pair of accesses of
 * the two places was shown impossible, by what must run before what or by exact search.
 *
 * The expensive stages go in waves of pieces of the candidates, and in blocks of groups within a
 * wave: of each signature (with all_pairs: each pair) a few pairs are tried, and the first one
 * that succeeds stands for it.  Within a block the threads share the work; between two the
 * findings are proposed in order and counted.  So memory is bounded by a wave, and where a limit
 * strikes does not depend on the number of threads.
 *
 * A signature may come up in several waves.  Once found it is skipped; it is refuted if each
 * wave refutes the pairs it has.
 */
#include "base/pool.h"
#include "predict/osr.h"
#include "predict/races_priv.h"

#define WAVE 64u /* pieces */
#define BLOCK 1024u

struct result {
	enum goal_outcome outcome;
	uint64_t group;
	const uint32_t *events; /* two */
	struct exact_order order;
};

struct trials {
	struct races *s;
	struct osr **osr;     /* by thread; NULL: no optimistic reversal */
	struct exact **exact; /* by thread; NULL: no exact search */
	struct result *results;
	struct map outcomes; /* by group; written between blocks only */
	struct shortlist list;
	size_t first; /* group of the block at hand */
	bool full, list_is_cut;
};

/* ---- in observed order ---- */

/* What tells two proposals apart: the pair, or only its places. */
static uint64_t proposal_key(const struct engine_options *opt, const struct finding *f)
{
	return opt->all_pairs ? f->events[0] << 32 ^ f->events[1] : finding_signature(f);
}

/* Moves to out what it does not have yet. */
static void add_new(const struct engine_options *opt, struct engine_result *more,
		    struct engine_result *out)
{
	struct map known = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < out->findings.at.n; i++)
		map_put(&known, proposal_key(opt, &out->findings.at.at[i]), NULL);
	for (size_t i = 0; i < more->findings.at.n; i++) {
		struct finding *f = &more->findings.at.at[i];

		if (map_get(&known, proposal_key(opt, f)))
			schedule_release(&f->schedule);
		else
			more->findings.at.at[kept++] = *f;
	}
	more->findings.at.n = kept;
	findings_move(&out->findings, &more->findings);
	texts_move(&out->truncated, &more->truncated);
	map_release(&known);
	engine_result_release(more);
}

static void settle(struct trials *t, const struct found *f)
{
	size_t n;
	const struct found_pair *p = found_pairs(f, &n);

	for (const struct found_pair *end = p + n; p < end; p++)
		*map_put(&t->outcomes,
			 t->s->opt->all_pairs ? shortlist_group_of(p->e1, p->e2) : p->signature,
			 NULL) = GOAL_FOUND;
}

/*
 * A schedule in which every read keeps its write is worth more than one in which some do not:
 * code that was not recorded cannot spoil it.  So those are looked for first, where that is cheap.
 */
static void search_syncp(struct trials *t, enum causal_mode mode)
{
	struct engine_result more = { 0 };
	struct found *found;

	if (mode == CAUSAL_DEP)
		found_free(syncp_search(t->s, CAUSAL_STRICT, t->s->out));
	found = syncp_search(t->s, mode, &more);
	add_new(t->s->opt, &more, t->s->out);
	settle(t, found);
	found_free(found);
}

/* ---- waves and blocks ---- */

static void try_group(void *arg, size_t i, unsigned worker)
{
	struct trials *t = arg;
	const struct engine_options *opt = t->s->opt;
	struct result *r = &t->results[i];
	struct shortlist_group g = shortlist_at(&t->list, t->first + i);
	struct goals goals = { g.at->e, sizeof(*g.at), g.n, 2, g.complete };
	uint32_t last = 0;

	r->group = g.at[0].group;
	r->outcome = GOAL_UNDECIDED;
	if (engine_stopped(opt))
		return;
	if (t->osr)
		r->outcome = osr_try(t->osr[worker], &goals, &r->order, &last);
	if (r->outcome != GOAL_FOUND && t->exact)
		r->outcome = exact_try(t->exact[worker], &goals, &r->order, &last);
	r->events = g.at[last].e;
}

static bool is_full(const struct races *s)
{
	return s->out->findings.at.n >= (s->opt->all_pairs ? LIMIT_PAIRS : LIMIT_SIGNATURES);
}

static void take_result(struct trials *t, struct result *r)
{
	const struct races *s = t->s;
	uint64_t *known = map_put(&t->outcomes, r->group, NULL);

	if (r->outcome == GOAL_FOUND && is_full(s)) {
		t->full = true;
		r->outcome = GOAL_UNDECIDED;
	}
	if (*known < r->outcome)
		*known = r->outcome;
	if (r->outcome == GOAL_FOUND)
		engine_propose(s->out, FINDING_RACE, s->engine, s->m, r->events, 2, &r->order);
}

static bool goes_on(const struct trials *t)
{
	return !t->full && !engine_stopped(t->s->opt);
}

static void run_wave(struct trials *t)
{
	size_t total = t->list.start.n - 1;

	t->list_is_cut |= t->list.is_cut;
	for (t->first = 0; t->first < total && goes_on(t); t->first += BLOCK) {
		size_t n = total - t->first < BLOCK ? total - t->first : BLOCK;

		pool_run(engine_jobs(t->s->opt), n, try_group, t);
		for (size_t i = 0; i < n; i++)
			take_result(t, &t->results[i]);
	}
}

static bool is_settled(void *arg, uint64_t group)
{
	const struct trials *t = arg;
	const uint64_t *known = map_get(&t->outcomes, group);

	return known && *known == GOAL_FOUND;
}

static void run_waves(struct trials *t, const struct causal *c)
{
	const struct races *s = t->s;
	struct shortlist_source source = { s, c, is_settled, t };
	size_t pieces = candidates_npieces(s->candidates);

	for (size_t p = 0; p < pieces && goes_on(t); p += WAVE) {
		shortlist_make(&t->list, &source, p, pieces - p < WAVE ? pieces - p : WAVE);
		engine_progress(s->opt, s->engine, p, pieces);
		run_wave(t);
		shortlist_release(&t->list);
	}
}

/* ---- results ---- */

static void say_limits(const struct trials *t, uint64_t undecided)
{
	const char *what = t->s->opt->all_pairs ? "pairs" : "pairs of places";
	const char *name = t->s->engine->name;
	struct texts *out = &t->s->out->truncated;

	if (t->list_is_cut)
		texts_add(out, "%s: too many pairs of accesses; not all were looked at", name);
	if (t->full)
		texts_add(out, "%s: more than %zu %s; the first ones are shown", name,
			  t->s->out->findings.at.n, what);
	else if (undecided > 0 && !engine_stopped(t->s->opt))
		texts_add(out, "%s: budget spent on %llu %s", name, (unsigned long long)undecided,
			  what);
}

/* n: how signatures ended.  Candidates that were in no list have only pairs that were refuted on
 * the way, if all were looked at: not so when it was stopped, or a limit was reached. */
static void tell(const struct trials *t, const struct causal *hard, const uint64_t *n)
{
	struct engine_counts *c = &t->s->out->counts;
	uint64_t known = n[GOAL_FOUND] + n[GOAL_REFUTED] + n[GOAL_SEARCHED] + n[GOAL_UNDECIDED],
		 rest;
	bool all = goes_on(t) && !t->list_is_cut, counted;

	c->candidates = census(t->s, hard, &counted);
	if (!counted)
		texts_add(&t->s->out->truncated, "%s: not all candidates were counted",
			  t->s->engine->name);
	if (c->candidates < known)
		c->candidates = known;
	rest = c->candidates - known;
	c->predicted = n[GOAL_FOUND];
	c->searched = n[GOAL_SEARCHED];
	c->undecided = n[GOAL_UNDECIDED] + (all ? 0 : rest);
	c->refuted = n[GOAL_REFUTED] + (all ? rest : 0);
}

/* hard: CAUSAL_HARD, and then, unless every pair is wanted, all candidates are counted by how
 * they ended; NULL: they are not. */
static void run_trials(struct trials *t, const struct causal *c, const struct causal *hard)
{
	bool was_full = is_full(t->s); /* by an earlier stage, which has said so */
	uint64_t n[GOAL_OUTCOMES] = { 0 };
	struct map_item item;

	t->full = was_full;
	run_waves(t, c);
	for (size_t i = 0; map_next(&t->outcomes, &i, &item);)
		n[item.value]++;
	if (!was_full)
		say_limits(t, n[GOAL_UNDECIDED]);
	if (hard && !t->s->opt->all_pairs)
		tell(t, hard, n);
}

/* races tries all, osr the reversal alone, exact the search in windows alone. */
static void try_all(struct races *s, struct engine_run *run)
{
	bool osr = s->engine != &engine_exact, exact = s->engine != &engine_osr;
	enum causal_mode mode = engine_mode(s->m, s->opt);
	const struct causal *hard = exact ? engine_causal(run, CAUSAL_HARD) : NULL;
	const struct causal *c = osr ? engine_causal(run, mode) : NULL, *by = hard, *least = hard;
	unsigned jobs = engine_jobs(s->opt);
	struct trials t = { .s = s, .results = mem_zalloc(BLOCK * sizeof(*t.results)) };

	/* By values a read may do without the write it saw, and what that needed. */
	if (exact && !s->opt->values) {
		by = engine_causal(run, engine_must(s->m, s->opt));
		least = engine_causal(run, engine_least(s->m, s->opt));
	}
	t.osr = osr ? mem_alloc(jobs * sizeof(struct osr *)) : NULL;
	t.exact = exact ? mem_alloc(jobs * sizeof(struct exact *)) : NULL;
	for (unsigned i = 0; i < jobs; i++) {
		if (osr)
			t.osr[i] = osr_new(s->m, c, mode == CAUSAL_STRICT, s->opt->budget);
		if (exact) {
			t.exact[i] = exact_new(s->m, by, s->opt);
			exact_use_tests(t.exact[i], least);
		}
	}
	if (osr && exact)
		search_syncp(&t, mode);
	run_trials(&t, exact ? least : c, hard);
	for (unsigned i = 0; i < jobs; i++) {
		osr_free(osr ? t.osr[i] : NULL);
		exact_free(exact ? t.exact[i] : NULL);
	}
	for (size_t i = 0; i < BLOCK; i++)
		exact_order_release(&t.results[i].order);
	map_release(&t.outcomes);
	MEM_FREE_ALL(t.results, t.osr, t.exact);
}

void races_search(const struct engine *e, struct engine_run *run, const struct engine_options *opt,
		  struct engine_result *out)
{
	const struct model *m = run->model;
	struct races s = {
		.engine = e, .opt = opt, .m = m, .candidates = candidates_new(m), .out = out
	};
	bool counts = e != &engine_osr && e != &engine_syncp;

	out->counted = counts && !opt->all_pairs;
	if (e == &engine_syncp)
		found_free(syncp_search(&s, engine_mode(m, opt), out));
	else if (candidates_npieces(s.candidates) > 0)
		try_all(&s, run);
	candidates_free(s.candidates);
}
