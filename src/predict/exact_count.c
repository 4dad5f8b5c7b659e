/*
 * Counting: semaphores, and tries that failed.
 *
 * With `value' what a semaphore holds at the start, every reordering has
 *
 *	at a TAKE	value + POSTs before it  >=  TAKEs before it, itself included
 *	at a ZERO	value + POSTs before it  ==  TAKEs before it
 *	at a BUSY	some section of the lock, of another thread, has begun and not ended
 *
 * Rules.  Some POSTs are known to come after a TAKE w, the others may come before it; of the TAKEs
 * some are known to come before it.  If the former are fewer than the latter need, nothing is left.
 * If they are just enough without the last ones of a chain, those come in, and before w.  The same
 * for a ZERO, in both directions.  A BUSY with one section left to explain it lies in that one.
 *
 * Choices.  Where the line stands at a TAKE there is nothing to take.  Then some POST that has not
 * run comes before it, or some TAKE that has run comes after it: in each chain the first of the ones
 * and the last of the others speak for all.  Once all of that is denied the rules refuse: the POSTs
 * that are left are those that have run, the TAKEs before it are all that have run, and there is
 * nothing to take.  The same holds for a ZERO, the other way round, and for a BUSY with acquires that have
 * not run and releases that have.
 *
 * To deny that an event comes before another, where it may not come in at all, is a ban: it is after
 * the other if it is in.
 */
#include "predict/exact_priv.h"

static const struct model_event *event_of(const struct exact *x, uint32_t node)
{
	return &x->m->event[x->nodes.at[node].id];
}

/* ---- what there is ---- */

#define KINDS 3u /* POST, TAKE, ZERO */

static uint32_t kind_of(uint8_t op)
{
	return op - (uint32_t)STEP_POST;
}

/* Groups of one kind of one semaphore: by_counter from `first' to `end'. */
static struct exact_span group_nodes(struct exact *x, uint32_t first, uint32_t end)
{
	uint32_t from = (uint32_t)x->groups.n;

	for (uint32_t j = first; j < end; j++)
		exact_build_group(x, first, j, x->nodes.at[x->by_counter.at[j]].chain);
	return (struct exact_span){ from, (uint32_t)x->groups.n };
}

/* Nodes lie chain by chain, so each list comes out sorted by chains. */
static void list_nodes(struct exact *x, uint32_t *ends)
{
	uint32_t sum = 0;

	for (uint32_t v = 0; v < x->nodes.n; v++) {
		const struct model_event *e = event_of(x, v);

		if (e->op == STEP_BUSY) {
			x->nodes.at[v].counter = x->local_lock[e->obj];
			*VEC_PUSH(&x->busy) = v;
		} else if (e->op >= STEP_POST && e->op <= STEP_ZERO) {
			x->nodes.at[v].counter = x->local_sem[e->obj];
			if (x->nodes.at[v].counter != EXACT_NONE)
				ends[x->nodes.at[v].counter * KINDS + kind_of(e->op)]++;
		}
	}
	for (uint32_t i = 0; i < x->counters.n * KINDS; i++) {
		uint32_t n = ends[i];

		ends[i] = sum;
		sum += n;
	}
	VEC_RESERVE(&x->by_counter, sum + 1);
	for (uint32_t v = 0; v < x->nodes.n && sum != 0; v++) {
		const struct model_event *e = event_of(x, v);

		if (e->op >= STEP_POST && e->op <= STEP_ZERO &&
		    x->nodes.at[v].counter != EXACT_NONE)
			x->by_counter.at[ends[x->nodes.at[v].counter * KINDS + kind_of(e->op)]++] =
				v;
	}
}

void exact_build_counters(struct exact *x)
{
	uint32_t *ends, at = 0;

	VEC_CLEAR(&x->busy);
	if (x->counters.n == 0 && x->busy_ids.n == 0)
		return;
	ends = mem_zalloc((x->counters.n * KINDS + 1) * sizeof(*ends));
	list_nodes(x, ends);
	for (size_t i = 0; i < x->counters.n; i++) {
		struct exact_counter *c = &x->counters.at[i];
		const uint32_t *end = ends + i * KINDS;
		int64_t takes;

		c->value = exact_supply_start(x, c->sem, &takes);
		c->dirty = false;
		c->posts = group_nodes(x, at, end[0]);
		c->takes = group_nodes(x, end[0], end[1]);
		c->zeros = group_nodes(x, end[1], end[2]);
		at = end[2];
	}
	x->busy_dirty = false;
	mem_free(ends);
}

/* ---- what comes before what ---- */

/* So many of the group lie below `bound' in its chain. */
static uint32_t count_below(const struct exact *x, const struct exact_group *g, exact_count bound)
{
	uint32_t limit = x->offset.at[g->chain] + (uint32_t)bound;

	return SEARCH_PAST(i, g->first, g->end, x->by_counter.at[i] < limit) - g->first;
}

static uint32_t count_before(const struct exact *x, const struct exact_group *g, uint32_t v)
{
	return count_below(x, g, exact_row(x, v)[g->chain]);
}

/* Node `after', or an earlier one of its chain, is banned from coming before v. */
static bool is_banned(const struct exact *x, uint32_t v, uint32_t after)
{
	for (size_t i = 0; i < x->bans.n; i++)
		if (x->bans.at[i].before == v && x->bans.at[i].after <= after &&
		    x->nodes.at[x->bans.at[i].after].chain == x->nodes.at[after].chain)
			return true;
	return false;
}

/* Node p may come before v, which is in.  What is not in yet has no row; but it comes after the last
 * of its chain that is in. */
static bool may_precede(const struct exact *x, uint32_t p, uint32_t v)
{
	uint32_t k = x->nodes.at[p].chain, in = (uint32_t)exact_cut(x)[k];

	if (k == x->nodes.at[v].chain)
		return p < v;
	if (exact_is_in(x, p))
		return !exact_leq(x, v, p);
	return !(in > 0 && exact_leq(x, v, x->offset.at[k] + in - 1)) && !is_banned(x, v, p);
}

/* So many of the group may come before v: the first ones. */
static uint32_t count_usable(struct exact *x, const struct exact_group *g, uint32_t v)
{
	x->steps++;
	return SEARCH_PAST(i, g->first, g->end, may_precede(x, x->by_counter.at[i], v)) - g->first;
}

static int64_t sum_before(const struct exact *x, struct exact_span of, uint32_t v)
{
	int64_t sum = 0;

	for (uint32_t i = of.first; i < of.end; i++)
		sum += count_before(x, &x->groups.at[i], v);
	return sum;
}

/* ---- rules ---- */

static bool bring_before(struct exact *x, uint32_t p, uint32_t v)
{
	if (!exact_is_in(x, p) && !exact_enter_upto(x, p))
		return false;
	return exact_edge(x, p, v);
}

static void add_ban(struct exact *x, uint32_t before, uint32_t after)
{
	if (!is_banned(x, before, after))
		*VEC_PUSH(&x->bans) = (struct exact_ban){ before, after };
}

/* At least `need' of these groups come before v. */
static bool demand(struct exact *x, const struct exact_counter *c, struct exact_span of, uint32_t v,
		   int64_t need)
{
	int64_t all = 0;

	if (need <= 0)
		return true;
	for (uint32_t i = of.first; i < of.end; i++)
		all += count_usable(x, &x->groups.at[i], v);
	if (all < need) {
		x->clipped |= c->clipped;
		return false;
	}
	for (uint32_t i = of.first; i < of.end && !x->clumsy; i++) {
		const struct exact_group *g = &x->groups.at[i];
		int64_t j = need - (all - count_usable(x, g, v));

		if (j <= (int64_t)count_before(x, g, v))
			continue;
		x->clipped |= c->clipped;
		if (!bring_before(x, x->by_counter.at[g->first + j - 1], v))
			return false;
	}
	return true;
}

static bool rule_take(struct exact *x, const struct exact_counter *c, uint32_t v)
{
	int64_t takes = sum_before(x, c->takes, v);

	return demand(x, c, c->posts, v, takes - c->value);
}

static bool rule_zero(struct exact *x, const struct exact_counter *c, uint32_t v)
{
	int64_t posts = sum_before(x, c->posts, v);

	return rule_take(x, c, v) && demand(x, c, c->takes, v, posts + c->value);
}

typedef bool rule(struct exact *x, const struct exact_counter *c, uint32_t v);

static bool apply_rule(struct exact *x, size_t counter, struct exact_span of, rule *r)
{
	for (uint32_t i = of.first; i < of.end; i++) {
		const struct exact_group g = x->groups.at[i];

		for (uint32_t j = g.first; j < g.end; j++) {
			uint32_t v = x->by_counter.at[j];

			if (!exact_is_in(x, v))
				break;
			if (!r(x, &x->counters.at[counter], v))
				return false;
		}
	}
	return true;
}

/* ---- tries that failed ---- */

static bool wants_readers(const struct exact *x, uint32_t busy)
{
	return event_of(x, busy)->flags & STEP_READERS;
}

/* The lock is held by somebody who was there before the start and never leaves. */
static bool held_for_ever(const struct exact *x, uint32_t busy)
{
	const struct exact_lock *l = &x->locks.at[x->nodes.at[busy].counter];

	return l->taken || (l->taken_shared && wants_readers(x, busy));
}

/* It may have begun, and not ended, where `busy' is. */
static bool may_explain(const struct exact *x, const struct exact_section *s, uint32_t busy)
{
	if (s->shared && !wants_readers(x, busy))
		return false;
	if (s->acquire != EXACT_NONE && !may_precede(x, s->acquire, busy))
		return false;
	return s->release == EXACT_NONE || !exact_is_in(x, s->release) ||
	       !exact_leq(x, s->release, busy);
}

static bool lies_in(struct exact *x, uint32_t busy, const struct exact_section *s)
{
	if (s->acquire != EXACT_NONE && !bring_before(x, s->acquire, busy))
		return false;
	if (s->release == EXACT_NONE)
		return true;
	if (exact_is_in(x, s->release))
		return exact_edge(x, busy, s->release);
	add_ban(x, busy, s->release);
	return true;
}

static bool rule_busy(struct exact *x, uint32_t busy)
{
	const struct exact_lock *l = &x->locks.at[x->nodes.at[busy].counter];
	const struct exact_section *only = NULL;

	if (held_for_ever(x, busy))
		return true;
	for (uint32_t i = l->first; i < l->end; i++)
		for (uint32_t j = x->groups.at[i].first; j < x->groups.at[i].end; j++) {
			const struct exact_section *s = &x->sections.at[x->by_lock.at[j]];

			x->steps++;
			if (!may_explain(x, s, busy))
				continue;
			if (only)
				return true;
			only = s;
		}
	x->clipped |= x->busy_clipped;
	return only && (x->clumsy || lies_in(x, busy, only));
}

/* ---- when ---- */

void exact_count_touched(struct exact *x, uint32_t node)
{
	if (event_of(x, node)->op == STEP_BUSY)
		x->busy_dirty = true;
	else
		x->counters.at[x->nodes.at[node].counter].dirty = true;
}

bool exact_apply_counts(struct exact *x)
{
	for (size_t i = 0; i < x->counters.n; i++) {
		const struct exact_counter c = x->counters.at[i];

		if (!c.dirty)
			continue;
		x->counters.at[i].dirty = false;
		if (!apply_rule(x, i, c.takes, rule_take) || !apply_rule(x, i, c.zeros, rule_zero))
			return false;
	}
	if (!x->busy_dirty)
		return true;
	x->busy_dirty = false;
	for (size_t i = 0; i < x->busy.n; i++)
		if (exact_is_in(x, x->busy.at[i]) && !rule_busy(x, x->busy.at[i]))
			return false;
	return true;
}

bool exact_apply_bans(struct exact *x)
{
	for (size_t i = 0; i < x->bans.n; i++)
		if (exact_is_in(x, x->bans.at[i].after) &&
		    !exact_edge(x, x->bans.at[i].before, x->bans.at[i].after))
			return false;
	return true;
}

bool exact_choose_first(struct exact *x, const struct exact_choice *c)
{
	assert(exact_is_in(x, c->b));
	if (c->kind == EXACT_FIRST)
		return bring_before(x, c->a, c->b);
	if (exact_is_in(x, c->a))
		return exact_edge(x, c->b, c->a);
	add_ban(x, c->b, c->a);
	exact_count_touched(x, c->b);
	return true;
}

/* ---- linearising ---- */

bool exact_count_allows(const struct exact *x, uint32_t node)
{
	const struct exact_node *n = &x->nodes.at[node];
	const struct exact_lock *l;

	switch (event_of(x, node)->op) {
	case STEP_TAKE:
		return x->counters.at[n->counter].now > 0;
	case STEP_ZERO:
		return x->counters.at[n->counter].now == 0;
	case STEP_BUSY:
		l = &x->locks.at[n->counter];
		return l->writers > 0 || (l->readers > 0 && wants_readers(x, node)) ||
		       held_for_ever(x, node);
	default:
		return true;
	}
}

void exact_count_run(struct exact *x, uint32_t node)
{
	uint8_t op = event_of(x, node)->op;

	if (op == STEP_POST || op == STEP_TAKE)
		x->counters.at[x->nodes.at[node].counter].now += op == STEP_POST ? 1 : -1;
}

/* Of each chain the first that has not run and may come before v, ... */
static void choose_sooner(struct exact *x, struct exact_span of, uint32_t v)
{
	for (uint32_t i = of.first; i < of.end; i++) {
		const struct exact_group *g = &x->groups.at[i];
		uint32_t ran = count_below(x, g, x->done.at[g->chain]);

		if (ran < count_usable(x, g, v))
			exact_choice_add(x, EXACT_FIRST, x->by_counter.at[g->first + ran], v);
	}
}

/* ... and the last that has run and need not come before it. */
static void choose_later(struct exact *x, struct exact_span of, uint32_t v)
{
	for (uint32_t i = of.first; i < of.end; i++) {
		const struct exact_group *g = &x->groups.at[i];
		uint32_t ran = count_below(x, g, x->done.at[g->chain]);

		if (ran > count_before(x, g, v))
			exact_choice_add(x, EXACT_FIRST, v, x->by_counter.at[g->first + ran - 1]);
	}
}

/* Sections of one chain: the first that has not begun, the last that has ended. */
static void choose_sections(struct exact *x, const struct exact_group *g, uint32_t busy)
{
	uint32_t ended = EXACT_NONE;

	for (uint32_t j = g->first; j < g->end; j++) {
		const struct exact_section *s = &x->sections.at[x->by_lock.at[j]];

		if (s->shared && !wants_readers(x, busy))
			continue;
		if (s->acquire != EXACT_NONE && !exact_has_run(x, s->acquire)) {
			if (may_precede(x, s->acquire, busy))
				exact_choice_add(x, EXACT_FIRST, s->acquire, busy);
			break;
		}
		if (s->release != EXACT_NONE && exact_has_run(x, s->release))
			ended = s->release;
	}
	if (ended != EXACT_NONE && !exact_leq(x, ended, busy))
		exact_choice_add(x, EXACT_FIRST, busy, ended);
}

void exact_count_choices(struct exact *x, uint32_t node)
{
	const struct exact_node *n = &x->nodes.at[node];
	const struct exact_counter *c;
	const struct exact_lock *l;

	switch (event_of(x, node)->op) {
	case STEP_TAKE:
		c = &x->counters.at[n->counter];
		choose_sooner(x, c->posts, node);
		choose_later(x, c->takes, node);
		break;
	case STEP_ZERO:
		c = &x->counters.at[n->counter];
		choose_sooner(x, c->takes, node);
		choose_later(x, c->posts, node);
		break;
	default:
		assert(event_of(x, node)->op == STEP_BUSY);
		l = &x->locks.at[n->counter];
		for (uint32_t i = l->first; i < l->end; i++)
			choose_sections(x, &x->groups.at[i], node);
		break;
	}
}
