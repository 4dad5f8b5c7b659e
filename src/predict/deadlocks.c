/*
 * Length by length: gather the patterns, try them in blocks, propose what came of it.  Within a
 * block threads share the work; between two all goes in order, so that nothing depends on how many
 * there are.
 */
#include "predict/deadlocks.h"

#include "base/pool.h"
#include "predict/deadlocks_priv.h"
#include "predict/osr.h"
#include "predict/propose.h"

#define BLOCK 128u
#define PLACE_EDGES 2000000u /* pairs of places that are told apart */

static const char why_undecided[] =
	"a circle of locks that could not be decided: the search ran out of steps";
static const char why_searched[] =
	"a circle of locks; no run that closes it was found, and not all were looked at";

static void open_search(struct deadlocks *d, struct engine_run *run)
{
	enum causal_mode mode;

	d->m = engine_model(run);
	d->g = lockgraph_new(d->m, d->setup->joins);
	if (lockgraph_place_edges(d->g) > PLACE_EDGES)
		lockgraph_coarsen(d->g);
	d->patterns = patterns_new(d->g, d->opt, d->setup->parents);
	d->jobs = d->opt->jobs ? d->opt->jobs : 1;
	d->hands = mem_zalloc(d->jobs * sizeof(*d->hands));
	for (unsigned i = 0; i < d->jobs; i++)
		d->hands[i].cut = mem_zalloc(((size_t)d->m->nchains + 1) * sizeof(uint32_t));
	/* Clocks cost a look at every event: none where there is nothing to ask. */
	if (patterns_longest(d->patterns) < 2)
		return;
	d->hard = engine_causal(run, CAUSAL_HARD);
	if (d->setup->stage == DEADLOCKS_LIST)
		return;
	mode = limits_mode(d->m, d->opt);
	d->c = engine_causal(run, mode);
	/* A schedule in which every read keeps its write is worth more: it is looked for first. */
	d->strict = mode == CAUSAL_DEP ? engine_causal(run, CAUSAL_STRICT) : NULL;
	d->exact = d->opt->values ? d->hard : engine_causal(run, limits_must(d->m, d->opt));
}

static void close_search(struct deadlocks *d)
{
	for (unsigned i = 0; i < d->jobs; i++) {
		mem_free(d->hands[i].cut);
		osr_free(d->hands[i].osr);
		exact_free(d->hands[i].exact);
	}
	mem_free(d->hands);
	VEC_RELEASE_ALL(&d->groups, &d->items);
	MAP_RELEASE_ALL(&d->index, &d->settled);
	patterns_free(d->patterns);
	lockgraph_free(d->g);
}

static void group_release(struct deadlocks_group *r)
{
	VEC_RELEASE(&r->kept);
	exact_order_release(&r->order);
}

/* ---- proposals ---- */

static void warn(const struct deadlocks *d, const struct deadlocks_group *r, const char *why,
		 struct engine_result *out)
{
	propose_cycle(out, r->kind, d->setup->engine, d->m, r->events.at, r->n)->why = why;
}

static bool is_warning(const struct deadlocks *d, const struct deadlocks_group *r)
{
	return d->setup->stage == DEADLOCKS_ALL && !engine_stopped(d->opt) &&
	       (r->outcome == GOAL_SEARCHED || r->outcome == GOAL_UNDECIDED);
}

static void propose(struct deadlocks *d, struct deadlocks_group *r, struct engine_result *out)
{
	struct finding *f;

	if (is_warning(d, r) && (d->warned++ < DEADLOCKS_SHOWN || d->opt->all_pairs))
		warn(d, r, r->outcome == GOAL_SEARCHED ? why_searched : why_undecided, out);
	if (r->outcome != GOAL_FOUND)
		return;
	f = propose_cycle(out, r->kind, d->setup->engine, d->m, r->events.at, r->n);
	f->claimed = true;
	propose_schedule(d->m, r->order.observed.n ? r->order.observed.at : NULL, r->order.ids.at,
			 r->order.ids.n, &f->schedule);
}

static void count(struct deadlocks *d, const struct deadlocks_group *r, struct engine_counts *c)
{
	engine_count(c, r->outcome);
	if (r->outcome == GOAL_FOUND)
		map_put(&d->settled, r->places, NULL);
}

static void progress(const struct deadlocks *d, size_t done, size_t total)
{
	if (d->opt->progress)
		d->opt->progress(d->opt->progress_arg, d->setup->engine->name, done, total);
}

/* ---- one length ---- */

static bool has_enough(const struct deadlocks *d)
{
	return d->found >= DEADLOCKS_SHOWN;
}

/* What came of a group, in the order of the groups: the same however many threads tried them. */
static void settle(struct deadlocks *d, struct deadlocks_group *r, struct engine_result *out)
{
	if (has_enough(d)) {
		d->untried++;
	} else {
		count(d, r, &out->counts);
		propose(d, r, out);
		d->found += r->outcome == GOAL_FOUND;
	}
	group_release(r);
}

static void try_groups(struct deadlocks *d, struct engine_result *out)
{
	size_t total = d->groups.n;

	for (d->first = 0; d->first < total; d->first += BLOCK) {
		size_t n = total - d->first < BLOCK ? total - d->first : BLOCK;

		progress(d, d->first, total);
		if (!has_enough(d))
			pool_run(d->jobs, n, deadlocks_try_group, d);
		for (size_t i = d->first; i < d->first + n; i++)
			settle(d, &d->groups.at[i], out);
	}
	VEC_CLEAR(&d->groups);
}

static void try_items(struct deadlocks *d, struct engine_result *out)
{
	size_t total = d->items.n, room = total < BLOCK ? total : BLOCK;

	VEC_CLEAR(&d->groups);
	VEC_REACH(&d->groups, room);
	for (d->first = 0; d->first < total; d->first += BLOCK) {
		size_t n = total - d->first < BLOCK ? total - d->first : BLOCK;

		progress(d, d->first, total);
		pool_run(d->jobs, n, deadlocks_try_item, d);
		for (size_t i = 0; i < n; i++) {
			struct engine_counts *c = &out->counts;

			c->undecided += d->groups.at[i].outcome == GOAL_UNDECIDED;
			propose(d, &d->groups.at[i], out);
		}
	}
	for (size_t i = 0; i < d->groups.n; i++)
		group_release(&d->groups.at[i]);
	VEC_CLEAR(&d->groups);
	VEC_CLEAR(&d->items);
}

static void list_all(struct deadlocks *d, struct engine_result *out)
{
	for (size_t i = 0; i < d->groups.n; i++) {
		warn(d, &d->groups.at[i], d->setup->why, out);
		map_put(&d->settled, d->groups.at[i].places, NULL);
		group_release(&d->groups.at[i]);
	}
	for (size_t i = 0; i < d->items.n; i++) {
		const struct deadlocks_item *x = &d->items.at[i];

		propose_cycle(out, x->kind, d->setup->engine, d->m, x->events.at, x->n)->why =
			d->setup->why;
	}
	VEC_CLEAR(&d->groups);
	VEC_CLEAR(&d->items);
}

static void say_limits(const struct deadlocks *d, struct engine_result *out)
{
	const char *name = d->setup->engine->name;

	if (d->g->longest > PATTERN_MOST)
		texts_add(&out->truncated,
			  "%s: circles of more than %u threads were not looked for", name,
			  (unsigned)PATTERN_MOST);
	if (d->g->is_cut)
		texts_add(&out->truncated,
			  "%s: so many locks are held at once that not all requests were "
			  "looked at",
			  name);
	if (d->warned > DEADLOCKS_SHOWN && !d->opt->all_pairs)
		texts_add(&out->truncated,
			  "%s: %u more circles of locks that may be deadlocks: not shown", name,
			  (unsigned)(d->warned - DEADLOCKS_SHOWN));
	if (d->untried > 0 || d->longer)
		texts_add(&out->truncated,
			  "%s: stopped at %u found; %s%u more circles of places were not tried%s",
			  name, (unsigned)d->found, d->full || d->cut ? "at least " : "",
			  (unsigned)d->untried, d->longer ? ", nor longer ones looked for" : "");
	else if (d->full)
		texts_add(&out->truncated,
			  "%s: more than %u circles of %s; the others were not tried", name,
			  d->opt->all_pairs ? LIMIT_TUPLES : LIMIT_CYCLES,
			  d->opt->all_pairs ? "requests" : "places");
	else if (d->cut && !engine_stopped(d->opt))
		texts_add(&out->truncated,
			  "%s: budget spent; not all circles of locks were looked at", name);
	if (out->counts.undecided > 0 && d->setup->stage == DEADLOCKS_ALL &&
	    !engine_stopped(d->opt))
		texts_add(&out->truncated, "%s: budget spent on %llu circles of locks", name,
			  (unsigned long long)out->counts.undecided);
}

void deadlocks_search(struct engine_run *run, const struct engine_options *opt,
		      const struct deadlocks_setup *setup, struct engine_result *out)
{
	struct deadlocks d = { .setup = setup, .opt = opt };
	uint32_t longest;

	open_search(&d, run);
	longest = patterns_longest(d.patterns);
	for (uint32_t n = 2; n <= longest && !engine_stopped(opt); n++) {
		d.longer = has_enough(&d);
		if (d.longer)
			break;
		deadlocks_gather(&d, n);
		if (setup->stage == DEADLOCKS_LIST)
			list_all(&d, out);
		else if (opt->all_pairs)
			try_items(&d, out);
		else
			try_groups(&d, out);
	}
	say_limits(&d, out);
	out->counted = setup->stage == DEADLOCKS_ALL && !opt->all_pairs;
	close_search(&d);
}
