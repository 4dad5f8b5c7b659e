/*
 * Which events run, and which sections stay open among them.
 *
 *	I := what must run before the targets
 *	repeat: for an acquire in I whose release is not, and can be had without the targets:
 *		I := I joined with what the release needs
 *	no if a target is in I, or two sections that exclude each other are open
 *
 * An open section has to come last of its lock.  If no section of that lock in I is later in the
 * trace, the observed order does; otherwise it has to move, and the graph decides.
 */
#include "predict/osr.h"

#include "order/clock.h"
#include "predict/engine.h"
#include "predict/osr_priv.h"

static int by_to(const void *a, const void *b)
{
	const struct model_guard *x = a, *y = b;

	return SORT_ORDER(x->to, y->to);
}

struct osr *osr_new(const struct model *m, const struct causal *c, bool is_strict, uint64_t budget)
{
	struct osr *o = mem_zalloc(sizeof(*o));
	size_t chains = (size_t)m->nchains + 1;

	o->m = m;
	o->c = o->tight = c;
	o->is_strict = is_strict;
	o->budget = budget ? budget : LIMIT_OSR_STEPS;
	o->cut = mem_zalloc(chains * sizeof(*o->cut));
	o->try = mem_zalloc(chains * sizeof(*o->try));
	o->chain_mask = mem_zalloc(chains * sizeof(*o->chain_mask));
	o->chain_change = mem_zalloc(chains * sizeof(*o->chain_change));
	o->cells = mem_zalloc(((size_t)m->ncells + 1) * sizeof(*o->cells));
	o->locks = mem_zalloc(((size_t)m->nlocks + 1) * sizeof(*o->locks));
	o->guards = mem_alloc(((size_t)m->nguards + 1) * sizeof(*o->guards));
	if (m->nguards > 0) {
		memcpy(o->guards, m->guards, m->nguards * sizeof(*o->guards));
		qsort(o->guards, m->nguards, sizeof(*o->guards), by_to);
	}
	return o;
}

void osr_use_tests(struct osr *o, const struct causal *c)
{
	if (!o->is_strict && o->m->tests.n != 0 && !o->m->has_pairs)
		o->by_tests = c;
}

void osr_free(struct osr *o)
{
	if (!o)
		return;
	VEC_RELEASE_ALL(&o->open, &o->moved, &o->need, &o->read, &o->changes, &o->reached);
	MEM_FREE_ALL(o->cut, o->try, o->chain_mask, o->chain_change, o->cells, o->locks, o->guards,
		     o);
}

/* Closes one open section of the chain.  False: none can be closed without the targets. */
static bool close_one(struct osr *o, uint32_t chain, const struct goal *g)
{
	const struct model *m = o->m;

	for (uint32_t h = model_hold_at(m, chain, o->cut[chain]); h; h = m->holds[h].next) {
		uint32_t release = m->event[m->holds[h].acquire].partner;

		if (!release)
			continue;
		clock_copy(o->try, o->cut, m->nchains);
		if (!causal_upto(o->c, release, o->try) || goal_is_passed(g, m, o->try))
			continue;
		clock_copy(o->cut, o->try, m->nchains);
		return true;
	}
	return false;
}

static void close_sections(struct osr *o, const struct goal *g)
{
	bool grew;

	do {
		grew = false;
		for (uint32_t v = 0; v < o->m->nchains; v++)
			while (close_one(o, v, g))
				grew = true;
	} while (grew);
}

/* Lists open sections.  False: two of them exclude each other. */
static bool list_open(struct osr *o)
{
	const struct model *m = o->m;

	VEC_CLEAR(&o->open);
	for (uint32_t v = 0; v < m->nchains; v++) {
		for (uint32_t h = model_hold_at(m, v, o->cut[v]); h; h = m->holds[h].next) {
			uint32_t a = m->holds[h].acquire;

			for (size_t i = 0; i < o->open.n; i++) {
				const struct model_event *b = &m->event[o->open.at[i]];

				if (b->obj == m->event[a].obj &&
				    (b->op == STEP_ACQ || m->event[a].op == STEP_ACQ))
					return false;
			}
			*VEC_PUSH(&o->open) = a;
		}
	}
	return true;
}

static void move(struct osr *o, uint32_t e)
{
	size_t at;

	for (at = 0; at < o->moved.n; at++)
		if (o->moved.at[at] == e)
			return;
	VEC_PUSH(&o->moved);
	for (at = o->moved.n - 1; at > 0 && o->moved.at[at - 1] > e; at--)
		o->moved.at[at] = o->moved.at[at - 1];
	o->moved.at[at] = e;
}

static void list_moved(struct osr *o)
{
	VEC_CLEAR(&o->moved);
	for (size_t i = 0; i < o->open.n; i++)
		if (model_hold_is_passed(o->m, o->open.at[i], o->cut))
			move(o, o->open.at[i]);
	for (uint32_t i = 0; i < o->goal->nbefore; i++)
		if (o->goal->before[i].first > o->goal->before[i].then)
			move(o, o->goal->before[i].then);
}

/* The last event of the cut in the trace. */
static uint32_t last_event(const struct osr *o)
{
	uint32_t last = 0;

	for (uint32_t v = 0; v < o->m->nchains; v++) {
		uint32_t e = o->cut[v] ? model_chain(o->m, v).at[o->cut[v] - 1] : 0;

		last = e > last ? e : last;
	}
	return last;
}

static enum goal_outcome reach(struct osr *o, const struct goal *g, struct exact_order *out)
{
	const struct model *m = o->m;

	o->goal = g;
	if (!goal_is_possible(g, m, o->c, o->cut))
		return GOAL_SEARCHED;
	close_sections(o, g);
	if (!list_open(o))
		return GOAL_SEARCHED;
	list_moved(o);
	if (o->moved.n == 0) {
		exact_order_observe(out, m, o->cut);
		return GOAL_FOUND;
	}
	o->low = o->moved.at[0];
	o->high = last_event(o);
	if (o->moved.n > OSR_MOVED || o->high - o->low >= o->budget)
		return GOAL_UNDECIDED;
	return osr_graph(o, out) ? GOAL_FOUND : GOAL_SEARCHED;
}

enum goal_outcome osr_reach(struct osr *o, const struct goal *g, struct exact_order *out)
{
	enum goal_outcome outcome;

	VEC_CLEAR(&out->observed);
	VEC_CLEAR(&out->ids);
	outcome = reach(o, g, out);
	return outcome == GOAL_FOUND && !o->is_strict && exact_order_misses(o->m, out)
		       ? GOAL_SEARCHED
		       : outcome;
}

enum goal_outcome osr_reach_tests(struct osr *o, const struct goal *g, struct exact_order *out)
{
	enum goal_outcome outcome;

	if (!o->by_tests)
		return GOAL_SEARCHED;
	o->c = o->by_tests;
	o->tests = true;
	outcome = osr_reach(o, g, out);
	o->c = o->tight;
	o->tests = false;
	return outcome == GOAL_FOUND && !exact_order_answers(o->m, out) ? GOAL_SEARCHED : outcome;
}

enum goal_outcome osr_try(struct osr *o, const struct goals *list, struct exact_order *out,
			  uint32_t *found)
{
	enum goal_outcome outcome = list->complete ? GOAL_SEARCHED : GOAL_UNDECIDED;

	for (uint32_t i = 0; i < list->n; i++) {
		struct goal goal = goals_get(list, i);
		enum goal_outcome one = osr_reach(o, &goal, out);

		*found = i;
		if (one == GOAL_FOUND)
			return one;
		if (one == GOAL_UNDECIDED)
			outcome = one;
	}
	return outcome;
}
