/*
 * The stages for one group of patterns, or one tuple of events: in observed order, by optimistic
 * reversal, by exact search.
 *
 * Which tuples of a group are tried: those that lie near each other, and of them none of which one
 * must run before another, by the same rules that the search goes by.  A group all of whose tuples
 * are ordered so is refuted without a search.
 */

#include "predict/deadlocks_priv.h"
#include "predict/osr.h"

#define SPD_STEPS 1000000u /* of all patterns of a group */
#define PRODUCT_MOST 4096u /* tuples of a pattern, if all are to be looked at */
#define ANCHORS 256u	   /* tuples of a pattern otherwise */

/* ---- in observed order ---- */

/* With all_pairs the tuple itself; else the earliest events of a pattern. */
static bool reach_observed(struct deadlocks *d, const struct causal *c, struct deadlocks_group *r,
			   uint32_t *cut)
{
	struct goal goal = { .next = r->events.at, .nnext = r->n };
	struct spd_question q = { d->g, c, true };
	uint64_t steps = SPD_STEPS;

	if (d->opt->all_pairs)
		return goal_reach(&goal, d->m, c, cut);
	for (size_t i = 0; i < r->kept.n; i++)
		if (spd_scan(&q, &r->kept.at[i].pattern, &steps, r->events.at, cut))
			return true;
	return false;
}

static bool try_observed(struct deadlocks *d, const struct causal *c, struct deadlocks_group *r,
			 uint32_t *cut, struct exact_order *out)
{
	if (!c || !reach_observed(d, c, r, cut))
		return false;
	r->outcome = GOAL_FOUND;
	exact_order_observe(out, d->m, cut);
	return true;
}

/* ---- tuples to try ---- */

struct choice {
	struct deadlocks_tuple at[LIMIT_TRIES];
	uint32_t span[LIMIT_TRIES];
	uint32_t n;
	bool complete; /* all others are refuted */
};

static void choose(struct choice *out, const struct deadlocks_tuple *t, uint32_t n)
{
	uint32_t span = deadlocks_span(t, n), worst = 0;

	for (uint32_t i = 0; i < out->n; i++) {
		if (memcmp(out->at[i].at, t->at, n * sizeof(*t->at)) == 0)
			return;
		if (out->span[i] > out->span[worst])
			worst = i;
	}
	if (out->n < LIMIT_TRIES) {
		worst = out->n++;
	} else {
		out->complete = false;
		if (span >= out->span[worst])
			return;
	}
	out->at[worst] = *t;
	out->span[worst] = span;
}

static uint64_t product(const struct lockgraph *g, const struct pattern *p)
{
	uint64_t n = 1;

	for (uint32_t i = 0; i < p->n && n <= PRODUCT_MOST; i++)
		n *= g->requests[p->at[i]].n;
	return n;
}

static void choose_all(struct deadlocks *d, struct deadlocks_hand *h, const struct pattern *p,
		       struct choice *out)
{
	uint32_t at[PATTERN_MOST] = { 0 };

	do {
		struct deadlocks_tuple t = { { 0 } };

		deadlocks_tuple_at(d->g, p, at, &t);
		if (deadlocks_unordered(d, d->exact, &t, p->n, h->cut))
			choose(out, &t, p->n);
	} while (deadlocks_next_tuple(d->g, p, at));
}

/* Of the events of a request, the one nearest to event e. */
static uint32_t nearest(const struct lockgraph *g, const struct lockgraph_request *r, uint32_t e)
{
	const uint32_t *at = g->events + r->first;
	uint32_t past = SEARCH_PAST(i, 0, r->n, at[i] < e);

	if (past == r->n || (past > 0 && e - at[past - 1] < at[past] - e))
		past--;
	return at[past];
}

/* Around each event, or some, of the request that has the fewest. */
static void choose_near(struct deadlocks *d, struct deadlocks_hand *h, const struct pattern *p,
			struct choice *out)
{
	const struct lockgraph_request *few = &d->g->requests[p->at[0]];
	uint32_t step;

	out->complete = false;
	for (uint32_t i = 1; i < p->n; i++)
		if (d->g->requests[p->at[i]].n < few->n)
			few = &d->g->requests[p->at[i]];
	step = (few->n + ANCHORS - 1) / ANCHORS;
	for (uint32_t k = 0; k < few->n; k += step) {
		struct deadlocks_tuple t = { { 0 } };

		for (uint32_t i = 0; i < p->n; i++)
			t.at[i] = nearest(d->g, &d->g->requests[p->at[i]],
					  d->g->events[few->first + k]);
		if (deadlocks_unordered(d, d->exact, &t, p->n, h->cut))
			choose(out, &t, p->n);
	}
}

static void choose_tuples(struct deadlocks *d, struct deadlocks_hand *h,
			  const struct deadlocks_group *r, struct choice *out)
{
	struct spd_question q = { d->g, d->exact, false };

	for (size_t i = 0; i < r->kept.n; i++) {
		const struct pattern *p = &r->kept.at[i].pattern;
		struct deadlocks_tuple first = { { 0 } };
		uint64_t steps = UINT64_MAX;

		if (!spd_scan(&q, p, &steps, first.at, h->cut))
			continue;
		choose(out, &first, p->n);
		if (product(d->g, p) <= PRODUCT_MOST)
			choose_all(d, h, p, out);
		else
			choose_near(d, h, p, out);
	}
}

/* ---- reversal and exact search ---- */

static void try_tuples(struct deadlocks *d, struct deadlocks_hand *h, const struct choice *list,
		       struct deadlocks_group *r, struct exact_order *out)
{
	struct goals goals = { list->at, sizeof(*list->at), list->n, r->n, list->complete };
	uint32_t last = 0;

	if (!h->osr)
		h->osr = osr_new(d->m, d->c, !d->strict, d->opt->budget);
	r->outcome = osr_try(h->osr, &goals, out, &last);
	if (r->outcome != GOAL_FOUND) {
		if (!h->exact) {
			h->exact = exact_new(d->m, d->tight, d->opt);
			exact_use_tests(h->exact, d->exact);
		}
		r->outcome = exact_try(h->exact, &goals, out, &last);
	}
	if (list->n > 0)
		r->events = list->at[last];
}

void deadlocks_try(void *arg, size_t i, unsigned worker)
{
	struct deadlocks *d = arg;
	struct deadlocks_hand *h = &d->hands[worker];
	struct deadlocks_group *r = &d->groups.at[d->first + i];
	struct exact_order *out = &d->orders[i];
	struct choice list;

	r->outcome = GOAL_UNDECIDED;
	if (engine_stopped(d->opt))
		return;
	if (try_observed(d, d->strict, r, h->cut, out) || try_observed(d, d->c, r, h->cut, out))
		return;
	r->outcome = GOAL_SEARCHED;
	if (d->stage == DEADLOCKS_SPD)
		return;
	list.n = d->opt->all_pairs;
	list.at[0] = r->events;
	list.complete = d->opt->all_pairs || r->complete;
	choose_tuples(d, h, r, &list);
	try_tuples(d, h, &list, r, out);
}
