#include "base/pool.h"
#include "predict/atomicity_priv.h"
#include "predict/gap.h"
#include "predict/osr.h"

static void open_search(struct atomicity *x, struct engine_run *run)
{
	enum causal_mode mode = engine_mode(x->m, x->opt);

	x->hard = engine_causal(run, CAUSAL_HARD);
	x->c = engine_causal(run, mode);
	x->strict = mode == CAUSAL_DEP ? engine_causal(run, CAUSAL_STRICT) : NULL;
	/* By values a read may do without the write it saw, and what that needed. */
	x->tight = x->opt->values ? x->hard : engine_causal(run, engine_must(x->m, x->opt));
	x->must = x->opt->values ? x->hard : engine_causal(run, engine_least(x->m, x->opt));
	x->hands = mem_zalloc(engine_jobs(x->opt) * sizeof(*x->hands));
}

static void close_search(struct atomicity *x)
{
	for (unsigned i = 0; i < engine_jobs(x->opt); i++) {
		osr_free(x->hands[i].strict);
		osr_free(x->hands[i].osr);
		gap_free(x->hands[i].gap);
		exact_free(x->hands[i].exact);
	}
	for (size_t i = 0; i < ATOMICITY_BLOCK; i++)
		exact_order_release(&x->orders[i]);
	VEC_RELEASE(&x->groups);
	map_release(&x->index);
	MEM_FREE_ALL(x->hands, x->is_shared);
}

static void settle(struct atomicity *x, const struct atomicity_group *g,
		   const struct exact_order *order)
{
	const struct atomicity_tuple *t = &g->at[g->found];
	uint32_t events[] = { t->a, t->c, t->b, t->d };
	struct finding *f;

	engine_count(&x->out->counts, g->n > 0 ? g->outcome : GOAL_REFUTED);
	if (g->outcome != GOAL_FOUND)
		return;
	f = engine_propose(x->out, FINDING_ATOMICITY, x->engine, x->m, events, t->b == t->d ? 3 : 4,
			   order);
	f->block = (uint8_t)t->block;
	f->score = (uint8_t)t->score;
}

static bool has_enough(const struct atomicity *x)
{
	return x->out->findings.at.n >= ATOMICITY_SHOWN && !x->opt->all_pairs;
}

/* Of the same score those that are early in the run: their schedules are short, and so are the walks of the
 * checker along them. */
static int by_score(const void *a, const void *b)
{
	const struct atomicity_group *x = a, *y = b;

	return SORT_ORDER(y->score, x->score) ?: SORT_ORDER(x->end, y->end)
					      ?: SORT_ORDER(x->number, y->number);
}

static void find_end(struct atomicity_group *g)
{
	g->end = UINT32_MAX;
	for (uint32_t i = 0; i < g->n; i++)
		if (atomicity_end(&g->at[i]) < g->end)
			g->end = atomicity_end(&g->at[i]);
}

static void try_groups(struct atomicity *x)
{
	size_t total = x->groups.n;

	for (size_t i = 0; i < total; i++)
		find_end(&x->groups.at[i]);
	SORT_VEC(&x->groups, by_score);
	for (x->first = 0; x->first < total && !has_enough(x); x->first += ATOMICITY_BLOCK) {
		size_t n = total - x->first < ATOMICITY_BLOCK ? total - x->first : ATOMICITY_BLOCK;

		engine_progress(x->opt, x->engine, x->first, total);
		pool_run(engine_jobs(x->opt), n, atomicity_try, x);
		for (size_t i = 0; i < n; i++)
			settle(x, &x->groups.at[x->first + i], &x->orders[i]);
	}
}

static void say_limits(const struct atomicity *x)
{
	struct texts *out = &x->out->truncated;
	const char *name = x->engine->name;

	if (has_enough(x) && x->first < x->groups.n)
		texts_add(out,
			  "%s: stopped at %zu found; %zu more patterns of places were not tried",
			  name, x->out->findings.at.n, x->groups.n - x->first);
	else if (x->full)
		texts_add(out, "%s: more than %zu patterns of %s; the first ones were tried", name,
			  x->groups.n, x->opt->all_pairs ? "accesses" : "places");
	if (x->out->counts.undecided > 0 && !engine_stopped(x->opt))
		texts_add(out, "%s: budget spent on %llu patterns of places", name,
			  (unsigned long long)x->out->counts.undecided);
}

void atomicity_search(const struct engine *e, struct engine_run *run,
		      const struct engine_options *opt, struct engine_result *out)
{
	struct atomicity x = { .engine = e, .opt = opt, .m = run->model, .out = out };

	blocks_init(&x.blocks, x.m);
	out->idle = x.blocks.n == 0 && !opt->infer;
	out->counted = !opt->all_pairs && !out->idle;
	if (!out->idle) {
		open_search(&x, run);
		atomicity_gather(&x);
		try_groups(&x);
		say_limits(&x);
		close_search(&x);
	}
	blocks_release(&x.blocks);
}
