/*
 * Patterns along a circle of places: depth first, a request for each place.
 *
 *	pattern(r1 .. rn) = each waits for the next, rn for r1; threads differ; held sets disjoint
 *
 * The last request is not looked for among all that provide what is wanted but among those that
 * want something r1 provides: with many locks and few places that is the difference between a
 * product and a sum.
 *
 * Each pattern comes once.  A circle of places that is itself when turned shows a pattern from
 * several sides; the one with the lowest request first counts.  With read locks one request may
 * wait for several others, and some patterns are circles in more than one way: those are
 * remembered.
 */
#include "predict/patterns.h"

#include "predict/engine.h"
#include "predict/patterns_priv.h"

struct patterns *patterns_new(const struct lockgraph *g, const struct engine_options *opt,
			      bool parents)
{
	struct patterns *p = mem_zalloc(sizeof(*p));

	p->g = g;
	p->opt = opt;
	p->left = opt->budget ? opt->budget : LIMIT_PATTERN_STEPS;
	if (parents && g->nrequests > 0)
		p->parents = patterns_parents_new(g->m);
	patterns_places_init(p);
	return p;
}

void patterns_free(struct patterns *p)
{
	if (!p)
		return;
	patterns_parents_free(p->parents);
	VEC_RELEASE(&p->queue);
	map_release(&p->chorded);
	MEM_FREE_ALL(p->next_start, p->next, p->prev_start, p->prev, p->distance, p);
}

uint32_t patterns_longest(const struct patterns *p)
{
	return p->g->nthreads < PATTERN_MOST ? p->g->nthreads : PATTERN_MOST;
}

/* The two can stand side by side: nothing that is held keeps them apart. */
static bool can_meet(const struct patterns *p, uint32_t a, uint32_t b)
{
	const struct lockgraph_request *x = &p->g->requests[a], *y = &p->g->requests[b];

	return x->tid != y->tid && model_sets_disjoint(p->g->m, x->set, y->set) &&
	       !(p->parents && patterns_parents_exclude(p->parents, p->g, a, b));
}

/* The request may be number `depth' of the pattern. */
static bool fits(const struct patterns *p, uint32_t depth, const struct lockgraph_provider *x)
{
	const struct pattern *now = &p->pattern;

	if (x->shared && p->g->requests[now->at[depth - 1]].shared)
		return false;
	if (depth % p->period == 0 && x->request < now->at[0])
		return false;
	for (uint32_t i = 0; i < depth; i++)
		if (!can_meet(p, now->at[i], x->request))
			return false;
	return true;
}

static bool has_chord(const struct patterns *p)
{
	const struct pattern *now = &p->pattern;

	for (uint32_t i = 0; i < now->n; i++)
		for (uint32_t j = 0; j < now->n; j++)
			if (j != i && j != (i + 1) % now->n &&
			    lockgraph_waits(p->g, now->at[i], now->at[j]))
				return true;
	return false;
}

/* The same requests were a circle in another order before. */
static bool is_known(struct patterns *p)
{
	struct pattern sorted = p->pattern;
	bool fresh;

	if (!p->g->has_readers || p->n < 3 || !has_chord(p))
		return false;
	qsort(sorted.at, sorted.n, sizeof(*sorted.at), sort_order_u32);
	map_put(&p->chorded, hash_numbers(sorted.n, sorted.at, sorted.n), &fresh);
	return !fresh;
}

/* The last request is there.  False: enough of this circle of places. */
static bool close_pattern(struct patterns *p)
{
	uint64_t spent = 0;
	bool more;

	p->pattern.n = p->n;
	if (is_known(p))
		return true;
	more = p->visitor->meet(p->visitor->arg, &p->pattern, &spent);
	return patterns_spend(p, spent) && more;
}

/* Last requests that want `resource'; `shared': the first one holds it in read mode. */
static bool try_last(struct patterns *p, struct lockgraph_range all, uint32_t resource, bool shared)
{
	struct lockgraph_range some = lockgraph_wanting(all, resource);

	if (!patterns_spend(p, 1))
		return false;
	for (uint32_t i = 0; i < some.n; i++) {
		if (!patterns_spend(p, 1))
			return false;
		if ((shared && p->g->requests[some.at[i].request].shared) ||
		    !fits(p, p->n - 1, &some.at[i]))
			continue;
		p->pattern.at[p->n - 1] = some.at[i].request;
		if (!close_pattern(p))
			return false;
	}
	return true;
}

static bool try_closing(struct patterns *p, struct lockgraph_range all)
{
	const struct lockgraph_request *first = &p->g->requests[p->pattern.at[0]];
	struct model_list held = model_set(p->g->m, first->set);

	for (uint32_t i = 0; i < held.n; i++)
		if (!try_last(p, all, held.at[i] >> 1, held.at[i] & 1))
			return false;
	return !p->g->has_joins || try_last(p, all, lockgraph_thread(p->g, first->tid), false);
}

static bool extend(struct patterns *p, uint32_t depth)
{
	uint32_t wants = p->g->requests[p->pattern.at[depth - 1]].wants;
	struct lockgraph_range all = lockgraph_providers(p->g, wants, p->places[depth]);

	if (depth == p->n - 1)
		return try_closing(p, all);
	for (uint32_t i = 0; i < all.n; i++) {
		if (!patterns_spend(p, 1))
			return false;
		if (!fits(p, depth, &all.at[i]))
			continue;
		p->pattern.at[depth] = all.at[i].request;
		if (!extend(p, depth + 1))
			return false;
	}
	return true;
}

void patterns_circle(struct patterns *p)
{
	const struct lockgraph *g = p->g;
	uint32_t first = p->places[0];

	for (uint32_t i = g->place_start[first]; i < g->place_start[first + 1]; i++) {
		if (!patterns_spend(p, 1) || engine_stopped(p->opt))
			return;
		p->pattern.at[0] = g->by_place[i];
		if (!extend(p, 1))
			return;
	}
}

bool patterns_walk(struct patterns *p, uint32_t n, const struct patterns_visitor *v)
{
	assert(n >= 2 && n <= PATTERN_MOST);
	p->visitor = v;
	p->cut = p->left == 0;
	map_clear(&p->chorded);
	patterns_places_walk(p, n);
	return !p->cut && !engine_stopped(p->opt);
}
