/*
 * Length by length: gather the patterns, try them in blocks, propose what came of it.  Within a
 * block threads share the work; between two all goes in order, so that nothing depends on how many
 * there are.
 */
#include "base/pool.h"
#include "predict/deadlocks_priv.h"
#include "predict/waits_priv.h"

#define PLACE_EDGES 2000000u /* pairs of places that are told apart */

static const char why_listed[] =
	"a pattern of locks alone: whether a run can reach it was not asked";
static const char why_undecided[] =
	"a circle of locks that could not be decided: the search ran out of steps";
static const char why_searched[] =
	"a circle of locks; no run that closes it was found, and not all were looked at";

static void open_search(struct deadlocks *d, struct engine_run *run)
{
	enum causal_mode mode;

	d->m = run->model;
	d->g = lockgraph_new(d->m, d->joins);
	if (lockgraph_place_edges(d->g) > PLACE_EDGES)
		lockgraph_coarsen(d->g);
	d->patterns = patterns_new(d->g, d->opt, d->parents);
	d->jobs = engine_jobs(d->opt);
	d->hands = mem_zalloc(d->jobs * sizeof(*d->hands));
	for (unsigned i = 0; i < d->jobs; i++)
		d->hands[i].cut = mem_zalloc(((size_t)d->m->nchains + 1) * sizeof(uint32_t));
	/* Clocks cost a look at every event: none where there is nothing to ask. */
	if (patterns_longest(d->patterns) < 2)
		return;
	d->hard = engine_causal(run, CAUSAL_HARD);
	if (d->stage == DEADLOCKS_LIST)
		return;
	mode = engine_mode(d->m, d->opt);
	d->c = engine_causal(run, mode);
	/* A schedule in which every read keeps its write is worth more: it is looked for first. */
	d->strict = mode == CAUSAL_DEP ? engine_causal(run, CAUSAL_STRICT) : NULL;
	d->tight = d->opt->values ? d->hard : engine_causal(run, engine_must(d->m, d->opt));
	d->exact = d->opt->values ? d->hard : engine_causal(run, engine_least(d->m, d->opt));
}

static void close_search(struct deadlocks *d)
{
	for (unsigned i = 0; i < d->jobs; i++) {
		mem_free(d->hands[i].cut);
		osr_free(d->hands[i].osr);
		exact_free(d->hands[i].exact);
	}
	mem_free(d->hands);
	for (size_t i = 0; i < DEADLOCKS_BLOCK; i++)
		exact_order_release(&d->orders[i]);
	VEC_RELEASE(&d->groups);
	MAP_RELEASE_ALL(&d->index, &d->settled);
	patterns_free(d->patterns);
	lockgraph_free(d->g);
}

/* ---- proposals ---- */

static void add(const struct deadlocks *d, const struct deadlocks_group *r,
		const struct exact_order *order, const char *why, struct engine_result *out)
{
	engine_propose(out, r->kind, d->engine, d->m, r->events.at, r->n, order)->why = why;
}

static bool is_warning(const struct deadlocks *d, const struct deadlocks_group *r)
{
	return d->stage == DEADLOCKS_ALL && !engine_stopped(d->opt) &&
	       (r->outcome == GOAL_SEARCHED || r->outcome == GOAL_UNDECIDED);
}

/* What came of a group, in the order of the groups: the same however many threads tried them. */
static void settle(struct deadlocks *d, const struct deadlocks_group *r,
		   const struct exact_order *order, struct engine_result *out)
{
	if (d->opt->all_pairs)
		out->counts.undecided += r->outcome == GOAL_UNDECIDED;
	else
		engine_count(&out->counts, r->outcome);
	if (is_warning(d, r) && (d->warned++ < DEADLOCKS_SHOWN || d->opt->all_pairs))
		add(d, r, NULL, r->outcome == GOAL_SEARCHED ? why_searched : why_undecided, out);
	if (r->outcome != GOAL_FOUND)
		return;
	add(d, r, order, NULL, out);
	map_put(&d->settled, r->places, NULL);
	d->found += !d->opt->all_pairs;
}

/* ---- one length ---- */

static bool has_enough(const struct deadlocks *d)
{
	return d->found >= DEADLOCKS_SHOWN;
}

static void try_groups(struct deadlocks *d, struct engine_result *out)
{
	size_t total = d->groups.n;

	for (d->first = 0; d->first < total; d->first += DEADLOCKS_BLOCK) {
		size_t n = total - d->first < DEADLOCKS_BLOCK ? total - d->first : DEADLOCKS_BLOCK;

		engine_progress(d->opt, d->engine, d->first, total);
		if (!has_enough(d))
			pool_run(d->jobs, n, deadlocks_try, d);
		for (size_t i = 0; i < n; i++) {
			if (has_enough(d))
				d->untried++;
			else
				settle(d, &d->groups.at[d->first + i], &d->orders[i], out);
		}
	}
}

static void list_all(struct deadlocks *d, struct engine_result *out)
{
	for (size_t i = 0; i < d->groups.n; i++) {
		add(d, &d->groups.at[i], NULL, why_listed, out);
		map_put(&d->settled, d->groups.at[i].places, NULL);
	}
}

static void say_limits(const struct deadlocks *d, struct engine_result *out)
{
	const char *name = d->engine->name;
	struct texts *said = &out->truncated;

	if (d->g->longest > PATTERN_MOST)
		texts_add(said, "%s: circles of more than %u threads were not looked for", name,
			  (unsigned)PATTERN_MOST);
	if (d->g->is_cut)
		texts_add(said,
			  "%s: so many locks are held at once that not all requests were "
			  "looked at",
			  name);
	if (d->warned > DEADLOCKS_SHOWN && !d->opt->all_pairs)
		texts_add(said, "%s: %u more circles of locks that may be deadlocks: not shown",
			  name, (unsigned)(d->warned - DEADLOCKS_SHOWN));
	if (d->untried > 0 || d->longer)
		texts_add(said,
			  "%s: stopped at %u found; %s%u more circles of places were not tried%s",
			  name, (unsigned)d->found, d->full || d->cut ? "at least " : "",
			  (unsigned)d->untried, d->longer ? ", nor longer ones looked for" : "");
	else if (d->full)
		texts_add(said, "%s: more than %u circles of %s; the others were not tried", name,
			  d->opt->all_pairs ? LIMIT_TUPLES : LIMIT_CYCLES,
			  d->opt->all_pairs ? "requests" : "places");
	else if (d->cut && !engine_stopped(d->opt))
		texts_add(said, "%s: budget spent; not all circles of locks were looked at", name);
	if (out->counts.undecided > 0 && d->stage == DEADLOCKS_ALL && !engine_stopped(d->opt))
		texts_add(said, "%s: budget spent on %llu circles of locks", name,
			  (unsigned long long)out->counts.undecided);
}

static void search_patterns(struct deadlocks *d, struct engine_run *run, struct engine_result *out)
{
	uint32_t longest;

	open_search(d, run);
	longest = patterns_longest(d->patterns);
	for (uint32_t n = 2; n <= longest && !engine_stopped(d->opt); n++) {
		d->longer = has_enough(d);
		if (d->longer)
			break;
		deadlocks_gather(d, n);
		if (d->stage == DEADLOCKS_LIST)
			list_all(d, out);
		else
			try_groups(d, out);
		for (size_t i = 0; i < d->groups.n; i++)
			VEC_RELEASE(&d->groups.at[i].kept);
		VEC_CLEAR(&d->groups);
	}
	say_limits(d, out);
	close_search(d);
}

/* ---- threads that wait for a lock they hold themselves ----
 *
 * Whoever asks twice for a lock that does not nest waits for ever, in every run: so the recorded
 * run ended there, and the last event of the thread is the request.
 */

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

static void search_own(struct engine_run *run, const struct engine *engine,
		       struct engine_result *out)
{
	const struct model *m = run->model;
	struct exact_order order = { 0 };

	for (uint32_t e = 1; e <= m->n; e++) {
		const struct model_event *v = &m->event[e];
		struct goal g = { .next = &e, .nnext = 1 };
		bool found;

		if ((v->op != STEP_REQ && v->op != STEP_RREQ) || (v->flags & STEP_TRY) ||
		    m->is_loose[v->obj] ||
		    !model_hold_find(m, v->hold, v->obj, v->op == STEP_RREQ) ||
		    !lockgraph_is_last(m, e) || is_told(out, m->base + e))
			continue;
		found = goal_reach(&g, m, engine_causal(run, CAUSAL_STRICT),
				   exact_order_clear(&order, m));
		engine_count(&out->counts, found ? GOAL_FOUND : GOAL_UNDECIDED);
		engine_propose(out, FINDING_DEADLOCK, engine, m, &e, 1, found ? &order : NULL)
			->why =
			found ? NULL : "what came before it is not known well enough to repeat it";
	}
	exact_order_release(&order);
}

/* ---- the engines ----
 *
 * Those that list patterns, with all filters and with fewer, claim nothing: a pattern may be one
 * that no run can reach.
 */

void deadlocks_search(const struct engine *e, struct engine_run *run,
		      const struct engine_options *opt, struct engine_result *out)
{
	bool all = e == &engine_deadlocks;
	struct deadlocks d = {
		.engine = e,
		.opt = opt,
		.stage = all		    ? DEADLOCKS_ALL
			 : e == &engine_spd ? DEADLOCKS_SPD
					    : DEADLOCKS_LIST,
		.must = e != &engine_patterns_all,
		.parents = e != &engine_patterns_all && e != &engine_patterns_mhb,
		.joins = all,
	};

	search_patterns(&d, run, out);
	if (!all)
		return;
	search_own(run, e, out);
	waits_search(e, run, opt, out);
	out->counted = !opt->all_pairs; /* counts are by places */
}
