/*
 * From patterns to what is tried.
 *
 * A group keeps the patterns whose first events lie near each other: sections in between stand in
 * the way of a run.  A circle of places that is settled is passed over, and so are longer ones
 * over the same places: who crosses two locks in a loop over many has one bug, not one for each
 * number of threads.
 */
#include "predict/deadlocks_priv.h"

bool deadlocks_unordered(const struct deadlocks *d, const struct causal *c,
			 const struct deadlocks_tuple *t, uint32_t n, uint32_t *cut)
{
	struct goal goal = { .next = t->at, .nnext = n };

	return goal_is_possible(&goal, d->m, c, cut);
}

uint32_t deadlocks_span(const struct deadlocks_tuple *t, uint32_t n)
{
	uint32_t low = t->at[0], high = t->at[0];

	for (uint32_t i = 1; i < n; i++) {
		low = t->at[i] < low ? t->at[i] : low;
		high = t->at[i] > high ? t->at[i] : high;
	}
	return high - low;
}

bool deadlocks_next_tuple(const struct lockgraph *g, const struct pattern *p, uint32_t *at)
{
	uint32_t i = p->n;

	while (i > 0 && ++at[i - 1] == g->requests[p->at[i - 1]].n)
		at[--i] = 0;
	return i > 0;
}

void deadlocks_tuple_at(const struct lockgraph *g, const struct pattern *p, const uint32_t *at,
			struct deadlocks_tuple *out)
{
	for (uint32_t i = 0; i < p->n; i++)
		out->at[i] = g->events[g->requests[p->at[i]].first + at[i]];
}

static enum finding_kind kind_of(const struct deadlocks *d, const struct pattern *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (lockgraph_is_join(d->g, p->at[i]))
			return FINDING_JOIN_HOLDING;
	return FINDING_DEADLOCK;
}

/* ---- one for each circle of places ---- */

/* Requests by their places: d->signature and d->places. */
static void hash_places(struct deadlocks *d, const uint32_t *requests, uint32_t n)
{
	enum finding_kind kind = FINDING_DEADLOCK;
	uint64_t sites[PATTERN_MOST], once[PATTERN_MOST];
	uint32_t nonce = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = 0;

		sites[i] = lockgraph_site(d->g, requests[i]);
		if (lockgraph_is_join(d->g, requests[i]))
			kind = FINDING_JOIN_HOLDING;
		while (j < i && sites[j] != sites[i])
			j++;
		if (j == i)
			once[nonce++] = sites[i];
	}
	d->signature = finding_signature_of(kind, sites, n);
	d->places = finding_signature_of(kind, once, nonce);
}

static bool is_wanted(struct deadlocks *d)
{
	const uint64_t *known = map_get(&d->index, d->signature);

	if (map_get(&d->settled, d->places))
		return false;
	if (known)
		return d->stage != DEADLOCKS_LIST && d->groups.at[*known - 1].met < DEADLOCKS_MET;
	d->full |= d->ngroups >= LIMIT_CYCLES;
	return !d->full;
}

static bool begin_circle(void *arg, const uint32_t *places, uint32_t n)
{
	struct deadlocks *d = arg;
	uint32_t requests[PATTERN_MOST];

	if (d->opt->all_pairs || d->g->is_coarse)
		return !d->full;
	for (uint32_t i = 0; i < n; i++)
		requests[i] = d->g->by_place[d->g->place_start[places[i]]];
	hash_places(d, requests, n);
	return is_wanted(d);
}

static struct deadlocks_group *group_of(struct deadlocks *d, const struct pattern *p)
{
	uint64_t *known = map_put(&d->index, d->signature, NULL);

	if (*known == 0) {
		*VEC_PUSH(&d->groups) = (struct deadlocks_group){
			.n = p->n, .kind = kind_of(d, p), .places = d->places, .complete = true
		};
		*known = d->groups.n;
		d->ngroups++;
	}
	return &d->groups.at[*known - 1];
}

static void keep(struct deadlocks_group *group, const struct deadlocks_kept *k)
{
	size_t worst = 0;

	if (group->kept.n < DEADLOCKS_KEPT) {
		*VEC_PUSH(&group->kept) = *k;
		return;
	}
	group->complete = false;
	for (size_t i = 1; i < group->kept.n; i++)
		if (group->kept.at[i].span > group->kept.at[worst].span)
			worst = i;
	if (k->span < group->kept.at[worst].span)
		group->kept.at[worst] = *k;
}

/* Events of the pattern none of which must run before another, by c (NULL: any).  False: there
 * are none. */
static bool first_events(struct deadlocks *d, const struct causal *c, const struct pattern *p,
			 struct deadlocks_tuple *out, uint64_t *spent)
{
	struct spd_question q = { d->g, c, false };
	uint64_t steps = UINT64_MAX;
	bool found = true;

	if (c)
		found = spd_scan(&q, p, &steps, out->at, d->hands[0].cut);
	else
		deadlocks_tuple_at(d->g, p, (const uint32_t[PATTERN_MOST]){ 0 }, out);
	*spent += UINT64_MAX - steps;
	return found;
}

/* A pattern that forks and joins allow.  What the values of reads forbid is refuted here and now:
 * there may be thousands of its kind. */
static bool meet_group(void *arg, const struct pattern *p, uint64_t *spent)
{
	struct deadlocks *d = arg;
	struct deadlocks_kept k = { .pattern = *p };
	struct deadlocks_group *group;

	if (d->g->is_coarse) {
		hash_places(d, p->at, p->n);
		if (!is_wanted(d))
			return !d->full;
	}
	if (!first_events(d, d->must ? d->hard : NULL, p, &k.first, spent))
		return true;
	group = group_of(d, p);
	if (group->kept.n == 0)
		group->events = k.first;
	if (d->exact && !first_events(d, d->exact, p, &k.first, spent))
		return true;
	k.span = deadlocks_span(&k.first, p->n);
	keep(group, &k);
	group->met++;
	if (d->stage != DEADLOCKS_LIST && group->met < DEADLOCKS_MET)
		return true;
	group->complete = false;
	return d->g->is_coarse; /* others may be at other places */
}

static int compare_kept(const void *a, const void *b)
{
	const struct deadlocks_kept *x = a, *y = b;

	return SORT_ORDER(x->span, y->span) ?: memcmp(&x->first, &y->first, sizeof(x->first));
}

static void settle_groups(struct deadlocks *d)
{
	for (size_t i = 0; i < d->groups.n; i++) {
		struct deadlocks_group *group = &d->groups.at[i];

		group->complete &= !d->cut && !d->g->is_cut;
		if (group->kept.n == 0)
			continue;
		qsort(group->kept.at, group->kept.n, sizeof(*group->kept.at), compare_kept);
		group->events = group->kept.at[0].first;
	}
}

/* ---- every tuple of events ---- */

static bool meet_every(void *arg, const struct pattern *p, uint64_t *spent)
{
	struct deadlocks *d = arg;
	uint32_t at[PATTERN_MOST] = { 0 };

	do {
		struct deadlocks_group item = { .n = p->n, .kind = kind_of(d, p) };

		if (++*spent > LIMIT_PATTERN_STEPS) {
			d->cut = true;
			break;
		}
		deadlocks_tuple_at(d->g, p, at, &item.events);
		if (d->must &&
		    !deadlocks_unordered(d, d->hard, &item.events, p->n, d->hands[0].cut))
			continue;
		if (d->groups.n == LIMIT_TUPLES) {
			d->full = true;
			return false;
		}
		*VEC_PUSH(&d->groups) = item;
	} while (deadlocks_next_tuple(d->g, p, at) && !engine_stopped(d->opt));
	return true;
}

void deadlocks_gather(struct deadlocks *d, uint32_t n)
{
	bool all = d->opt->all_pairs;
	struct patterns_visitor v = { begin_circle, all ? meet_every : meet_group, d };

	map_clear(&d->index);
	d->cut |= !patterns_walk(d->patterns, n, &v);
	if (!all)
		settle_groups(d);
}
