/*
 * The search itself: saturate, linearise; where the line comes to a stand, choose and go on;
 * where nothing is left, undo the last choice and take its other side.
 *
 * Complete: a reordering that leads to the targets agrees with one side of every choice, so it
 * agrees with some leaf, and a leaf without a circle has a line.  Before a choice is made both
 * sides are tried for a moment; most often one fails at once, and then there was no choice.
 */
#include "predict/exact_priv.h"

#include "order/clock.h"

#define PROBES 6 /* choices that are looked at before one is made */

enum outcome { REFUTED, REACHED, SPENT };

/* How much follows from a choice; SIZE_MAX: it fails. */
static size_t probe(struct exact *x, struct exact_choice c)
{
	size_t worth;
	bool ok;

	exact_level_push(x);
	ok = exact_choose(x, c);
	worth = ok ? x->saves.n - x->levels.at[x->levels.n - 1].saves : SIZE_MAX;
	exact_level_pop(x);
	return worth;
}

/* Goes on by one of x->choices, or by what follows from them.  False: there is no way on. */
static bool go_on(struct exact *x)
{
	struct exact_choice best = { 0 };
	size_t best_worth = 0;

	assert(x->choices.n > 0);
	for (size_t i = 0; i < x->choices.n && i < PROBES; i++) {
		struct exact_choice c = x->choices.at[i];
		size_t one = probe(x, c), other;

		if (x->exhausted)
			return false;
		if (one == SIZE_MAX)
			return exact_choose(x, exact_choice_other(c));
		other = probe(x, exact_choice_other(c));
		if (x->exhausted)
			return false;
		if (other == SIZE_MAX)
			return exact_choose(x, c);
		if (i == 0 || (one < other ? one : other) > best_worth) {
			best_worth = one < other ? one : other;
			best = c;
		}
	}
	exact_level_push(x);
	x->levels.at[x->levels.n - 1].other = exact_choice_other(best);
	return exact_choose(x, best);
}

/* Takes the other side of the latest choice that has one.  False: all have been tried. */
static bool go_back(struct exact *x)
{
	while (x->levels.n > 0) {
		struct exact_choice other = x->levels.at[x->levels.n - 1].other;

		exact_level_pop(x);
		if (exact_choose(x, other))
			return true;
		if (x->exhausted)
			return false;
	}
	return false;
}

static enum outcome search(struct exact *x)
{
	bool alive;

	exact_build(x);
	if (x->nchains == 0)
		return REACHED; /* they are next at the start */
	exact_order_start(x);
	alive = exact_begin(x);
	while (!x->exhausted) {
		if (!alive && !go_back(x))
			break;
		if (exact_linearise(x))
			return REACHED;
		alive = go_on(x);
	}
	return x->exhausted ? SPENT : REFUTED;
}

static void report(const struct exact *x, struct exact_order *out)
{
	bool any = false;

	for (uint32_t c = 0; c < x->m->nchains; c++)
		any |= x->lo[c] > 0;
	for (uint32_t c = 0; any && c < x->m->nchains; c++)
		*VEC_PUSH(&out->observed) = x->lo[c];
	for (size_t i = 0; x->nchains > 0 && i < x->line.n; i++)
		*VEC_PUSH(&out->ids) = x->nodes.at[x->line.at[i]].id;
}

/* x->need := what must run before the targets.  False: they can never all be next. */
static bool find_need(struct exact *x)
{
	memset(x->need, 0, x->m->nchains * sizeof(*x->need));
	if (!goal_need(x->aim, x->causal, x->need))
		return false;
	for (uint32_t i = 0; i < x->aim->nnext; i++) {
		const struct model_event *t = &x->m->event[x->aim->next[i]];

		if (x->need[t->chain] != t->index)
			return false;
	}
	return true;
}

/* Within x->lo and x->hi, with the budget up to `allowance'. */
static enum outcome attempt(struct exact *x, uint64_t allowance, struct exact_order *out)
{
	enum outcome o = REFUTED;

	x->clipped = false;
	if (!exact_universe(x)) {
		x->clipped = true;
		return REFUTED;
	}
	if (x->steps >= allowance)
		return SPENT;
	/* With values, first as if every read kept its write: that is no search among writers. */
	for (int choosing = x->values && x->loose; choosing <= x->values && o != REACHED;
	     choosing++) {
		x->choosing = choosing;
		x->exhausted = false;
		x->allowance =
			choosing == x->values ? allowance : x->steps + (allowance - x->steps) / 2;
		o = search(x);
	}
	if (o == REACHED)
		report(x, out);
	return o;
}

static void widen(const uint32_t *events, uint32_t n, uint32_t *first, uint32_t *last)
{
	for (uint32_t i = 0; i < n; i++) {
		*first = events[i] < *first ? events[i] : *first;
		*last = events[i] > *last ? events[i] : *last;
	}
}

/* The start of a window around the targets; false: they are too far apart. */
static bool window_around(const struct exact *x, uint32_t *from)
{
	uint32_t first = UINT32_MAX, last = 0, step = x->window / 4, slack, before;

	widen(x->aim->next, x->aim->nnext, &first, &last);
	/* What has to come in some order must not have run before it. */
	if (x->aim->nbefore > 0)
		widen(x->aim->done, x->aim->ndone, &first, &last);
	if (last - first >= x->window)
		return false;
	/* More is of use before the targets than after them. */
	slack = x->window - 1 - (last - first);
	before = slack - slack / 4;
	*from = first > before ? (first - before + step - 1) / step * step : 0;
	if (*from >= first)
		*from -= step; /* a wide pair: the window begins a little early */
	return (uint64_t)*from + x->window >= last;
}

/* From the start of the trace.  *decided: the answer holds for all of it. */
static enum outcome reach_whole(struct exact *x, struct exact_order *out, bool *decided)
{
	enum outcome o;

	exact_window(x, 0, true);
	o = attempt(x, x->budget - x->budget / 4, out); /* the rest is for a window */
	*decided = o == REACHED || (o == REFUTED && !x->clipped);
	return o;
}

static enum goal_outcome reach(struct exact *x, struct exact_order *out)
{
	enum outcome o = REFUTED;
	uint32_t from;

	if (!find_need(x))
		return GOAL_REFUTED;
	if (!x->values || x->m->n <= x->limit) {
		bool decided;

		o = reach_whole(x, out, &decided);
		if (decided)
			return o == REACHED ? GOAL_FOUND : GOAL_REFUTED;
	}
	if (window_around(x, &from) && (from > 0 || x->values)) {
		bool spent = o == SPENT;

		exact_window(x, from, false);
		o = attempt(x, x->budget, out);
		if (o == REFUTED && spent)
			o = SPENT;
	}
	if (o == SPENT)
		return GOAL_UNDECIDED;
	return o == REACHED ? GOAL_FOUND : GOAL_SEARCHED;
}

static enum goal_outcome reach_sure(struct exact *x, struct exact_order *out)
{
	enum goal_outcome o = reach(x, out);

	return o == GOAL_FOUND && !x->strict && exact_order_misses(x->m, out) ? GOAL_SEARCHED : o;
}

/*
 * First with every read that decides bound to its write.  Then, where some are only tested, these may
 * see other writes: that finds all the first finds, but it is a search among writers.
 */
enum goal_outcome exact_reach(struct exact *x, const struct goal *g, struct exact_order *out)
{
	enum goal_outcome tight, loose;

	VEC_CLEAR(&out->observed);
	VEC_CLEAR(&out->ids);
	x->aim = g;
	x->steps = 0;
	x->loose = false;
	x->causal = x->tight;
	tight = reach_sure(x, out);
	if (tight == GOAL_FOUND || !x->by_tests)
		return tight;
	x->loose = true;
	x->causal = x->by_tests;
	x->budget += x->steps;
	loose = reach_sure(x, out);
	x->budget = x->full_budget;
	return loose == GOAL_SEARCHED && tight == GOAL_UNDECIDED ? tight : loose;
}

static int compare_guards(const void *a, const void *b, void *arg)
{
	const struct model_guard *g = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	return SORT_ORDER(g[i].from, g[j].from) ?: SORT_ORDER(i, j);
}

static uint32_t *new_counters(uint32_t n, uint32_t value)
{
	uint32_t *at = mem_alloc(((size_t)n + 1) * sizeof(*at));

	for (uint32_t i = 0; i <= n; i++)
		at[i] = value;
	return at;
}

struct exact *exact_new(const struct model *m, const struct causal *c,
			const struct engine_options *opt)
{
	struct exact *x = mem_zalloc(sizeof(*x));

	x->m = m;
	x->causal = x->tight = c;
	x->opt = opt;
	x->strict = opt->strict || !m->has_facts;
	x->values = opt->values;
	x->window = opt->window ? opt->window : EXACT_WINDOW;
	x->window = x->window < 8 ? 8 : x->window > EXACT_MOST / 2 ? EXACT_MOST / 2 : x->window;
	x->limit = 2 * x->window;
	x->budget = x->full_budget = opt->budget ? opt->budget : EXACT_BUDGET;
	x->lo = new_counters(m->nchains, 0);
	x->hi = new_counters(m->nchains, 0);
	x->top = new_counters(m->nchains, 0);
	x->need = new_counters(m->nchains, 0);
	x->tmp = new_counters(m->nchains, 0);
	x->local_chain = new_counters(m->nchains, EXACT_NONE);
	x->local_cell = new_counters(m->ncells, EXACT_NONE);
	x->local_lock = new_counters(m->nlocks, EXACT_NONE);
	x->local_sem = new_counters(m->nsems, EXACT_NONE);
	x->guard_from = new_counters(m->nguards, 0);
	for (uint32_t i = 0; i < m->nguards; i++)
		x->guard_from[i] = i;
	if (m->nguards > 0)
		qsort_r(x->guard_from, m->nguards, sizeof(*x->guard_from), compare_guards,
			m->guards);
	x->first_bad = 1;
	while (x->first_bad <= m->n && !(m->event[x->first_bad].flags & (STEP_STOP | STEP_TAINTED)))
		x->first_bad++;
	return x;
}

void exact_use_tests(struct exact *x, const struct causal *c)
{
	if (!x->strict && x->m->tests.n != 0)
		x->by_tests = c;
}

void exact_free(struct exact *x)
{
	if (!x)
		return;
	MEM_FREE_ALL(x->lo, x->hi, x->top, x->need, x->tmp, x->local_chain, x->local_cell,
		     x->local_lock, x->local_sem, x->guard_from);
	VEC_RELEASE_ALL(&x->open, &x->chain, &x->offset, &x->nodes, &x->touches, &x->cells,
			&x->writes, &x->groups, &x->locks, &x->sections, &x->by_lock,
			&x->forever_next, &x->counters, &x->by_counter, &x->busy, &x->busy_ids,
			&x->guards, &x->stays, &x->candidates, &x->prefixes, &x->rows, &x->stamps,
			&x->edges, &x->queue, &x->dirty, &x->wanted, &x->goal, &x->levels,
			&x->saves, &x->saved, &x->marks, &x->sets, &x->bans, &x->choices, &x->line,
			&x->wrong, &x->done, &x->asks, &x->slice);
	mem_free(x);
}

void exact_order_release(struct exact_order *o)
{
	VEC_RELEASE_ALL(&o->observed, &o->ids);
}

uint64_t exact_steps(const struct exact *x)
{
	return x->steps;
}

uint32_t *exact_order_clear(struct exact_order *o, const struct model *m)
{
	VEC_CLEAR(&o->ids);
	VEC_CLEAR(&o->observed);
	VEC_REACH(&o->observed, m->nchains);
	o->observed.n = m->nchains;
	return o->observed.at;
}

void exact_order_observe(struct exact_order *o, const struct model *m, const uint32_t *cut)
{
	clock_copy(exact_order_clear(o, m), cut, m->nchains);
}

enum goal_outcome exact_try(struct exact *x, const struct goals *list, struct exact_order *out,
			    uint32_t *last)
{
	uint64_t steps = 0, budget = x->opt->budget ? x->opt->budget : LIMIT_EXACT_STEPS;
	bool refuted = list->complete;

	for (uint32_t i = 0; i < list->n; i++) {
		struct goal goal = goals_get(list, i);
		enum goal_outcome one = exact_reach(x, &goal, out);

		*last = i;
		steps += exact_steps(x);
		if (one == GOAL_FOUND || one == GOAL_UNDECIDED)
			return one;
		refuted &= one == GOAL_REFUTED;
		if (steps > budget && i + 1 < list->n)
			return GOAL_UNDECIDED;
	}
	return refuted ? GOAL_REFUTED : GOAL_SEARCHED;
}
