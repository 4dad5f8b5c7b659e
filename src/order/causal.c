/*
 * One pass over the events; the reference model is (handbook, DEPENDENCY 5)
 *
 *	every event e of chain t	C[t] |= TLC(p) for hard predecessors p;  C[t][t]++
 *	binding read			C[t] |= slice(w) for each write w it saw
 *	use				C[t] |= Q(q) for q in feeds
 *	then				TLC(e) = C[t]
 *	write				slice(e) = C[t] | Q(q) for q in feeds
 *	where				Q(q) = union of slice(w) for the writes w that q saw
 *
 * with all reads binding (STRICT) or none (HARD).  C is not joined with what feeds a write: the
 * write may run with another value, but whoever needs its value needs the slice.
 *
 * What is stored.  The counter of an event's own chain is its index + 1, so only the others need
 * room, and they change when the chain learns something: a row of counters is shared by all
 * events up to the next change.  Slices are named by their write, and share its row when no feed
 * adds to it; Q is worked out again from the touches of q for each use.
 *
 * What is not compared.  TLC sets are closed: who has an event has all it needs.  So whether
 * TLC(w) is news is one look at the counter of w's chain.  Slices that feeds have enlarged are
 * not of that kind, and are compared counter by counter.
 *
 * tests/unit/test_causal.c holds this file to sets of events closed by the rules.
 */
#include "order/causal.h"

#include <assert.h>

#include "base/vec.h"
#include "order/clock.h"
#include "order/model.h"

#define NEVER UINT32_MAX

struct causal {
	const struct model *m;
	enum causal_mode mode;
	uint32_t width; /* counters of a row */
	uint32_t nrows;
	VEC(uint32_t *) blocks; /* ROWS rows each; they do not move */
	uint32_t *after;	/* by event: row of TLC without the own counter, or NEVER */

	/* While it is made. */
	uint32_t *slice; /* DEP, by write: row of its slice without the own counter, or NEVER */
	uint32_t *now;	 /* by chain: after its latest event */
};

#define ROWS 1024u

static uint32_t *row(const struct causal *c, uint32_t id)
{
	return c->blocks.at[id / ROWS] + (size_t)(id % ROWS) * c->width;
}

/* A copy of a row; rows are not changed once an event has them. */
static uint32_t row_copy(struct causal *c, uint32_t from)
{
	assert(c->nrows < NEVER);
	if (c->nrows % ROWS == 0)
		*VEC_PUSH(&c->blocks) = mem_alloc((size_t)ROWS * c->width * sizeof(uint32_t));
	clock_copy(row(c, c->nrows), row(c, from), c->width);
	return c->nrows++;
}

/* What is being worked out for one event: a row that gets one copy when it first changes. */
struct growing {
	uint32_t chain;
	uint32_t id;   /* row, or NEVER */
	bool is_fresh; /* nobody else has it */
};

static void grow(struct causal *c, struct growing *g, uint32_t from, const struct model_event *w)
{
	uint32_t *into;

	if (!g->is_fresh)
		g->id = row_copy(c, g->id);
	g->is_fresh = true;
	into = row(c, g->id);
	clock_join(into, row(c, from), c->width);
	if (into[w->chain] <= w->index)
		into[w->chain] = w->index + 1;
}

/* Joins TLC of event id. */
static void join_after(struct causal *c, struct growing *g, uint32_t id)
{
	const struct model_event *w = &c->m->event[id];

	if (g->id == NEVER)
		return;
	if (c->after[id] == NEVER)
		g->id = NEVER;
	else if (w->chain != g->chain && row(c, g->id)[w->chain] <= w->index)
		grow(c, g, c->after[id], w);
}

/* The row is below what g has, own chains aside: g has all of its own, and w is compared apart. */
static bool has_row(const struct causal *c, const struct growing *g, uint32_t id)
{
	const uint32_t *a = row(c, id), *b = row(c, g->id);
	uint32_t t = g->chain;

	return clock_leq(a, b, t) && clock_leq(a + t + 1, b + t + 1, c->width - t - 1);
}

/* Joins the slice of write id; 0 is the initial value, which needs nothing. */
static void join_slice(struct causal *c, struct growing *g, uint32_t id)
{
	const struct model_event *w = &c->m->event[id];

	if (g->id == NEVER || id == 0)
		return;
	if (c->slice[id] == NEVER) {
		g->id = NEVER;
		return;
	}
	if (c->slice[id] == c->after[id]) {
		join_after(c, g, id);
		return;
	}
	if ((w->chain != g->chain && row(c, g->id)[w->chain] <= w->index) ||
	    !has_row(c, g, c->slice[id]))
		grow(c, g, c->slice[id], w);
}

/* Joins what the value of a read depends on. */
static void join_value(struct causal *c, struct growing *g, const struct model_event *e)
{
	if (e->flags & STEP_TAINTED)
		g->id = NEVER;
	for (uint32_t i = e->touch; i < e[1].touch; i++)
		join_slice(c, g, c->m->touches[i].seen);
}

static void join_feeds(struct causal *c, struct growing *g, const struct model_event *e)
{
	for (uint32_t i = e->feed; i < e[1].feed; i++) {
		if (c->m->feeds[i] == 0)
			g->id = NEVER;
		else
			join_value(c, g, &c->m->event[c->m->feeds[i]]);
	}
}

static bool reads(const struct model_event *e)
{
	return e->op == STEP_READ || e->op == STEP_RMW;
}

static bool writes(const struct model_event *e)
{
	return e->op == STEP_WRITE || e->op == STEP_RMW || e->op == STEP_FREE;
}

static void strict_event(struct causal *c, struct growing *g, const struct model_event *e)
{
	if (!reads(e))
		return;
	if (e->flags & STEP_TAINTED)
		g->id = NEVER;
	for (uint32_t i = e->touch; i < e[1].touch; i++)
		if (c->m->touches[i].seen != 0)
			join_after(c, g, c->m->touches[i].seen);
}

static bool binds(const struct model_event *e)
{
	return reads(e) && (!(e->flags & STEP_FREE_READ) || (e->flags & STEP_SHADOW));
}

static void dep_event(struct causal *c, struct growing *g, const struct model_event *e)
{
	if (e->op == STEP_USE)
		join_feeds(c, g, e);
	if (binds(e))
		join_value(c, g, e);
}

/* The slice of a write whose own clock is settled. */
static uint32_t slice_of(struct causal *c, const struct growing *after, const struct model_event *e)
{
	struct growing g = { after->chain, after->id, false };

	join_feeds(c, &g, e);
	return g.id;
}

static void event(struct causal *c, uint32_t id)
{
	const struct model_event *e = &c->m->event[id];
	struct growing g = { e->chain, c->now[e->chain], false };
	struct model_list preds = model_preds(c->m, id);

	for (uint32_t i = 0; i < preds.n; i++)
		join_after(c, &g, preds.at[i]);
	if (e->flags & STEP_STOP)
		g.id = NEVER;
	if (c->mode == CAUSAL_STRICT)
		strict_event(c, &g, e);
	else if (c->mode == CAUSAL_DEP)
		dep_event(c, &g, e);
	c->after[id] = c->now[e->chain] = g.id;
	if (c->mode == CAUSAL_DEP && writes(e))
		c->slice[id] = slice_of(c, &g, e);
}

struct causal *causal_new(const struct model *m, enum causal_mode mode)
{
	struct causal *c = mem_zalloc(sizeof(*c));

	c->m = m;
	/* Without free reads and feeds the two models are one, and STRICT is the faster. */
	c->mode = mode == CAUSAL_DEP && !m->has_facts && m->event[m->n + 1].feed == 0
			  ? CAUSAL_STRICT
			  : mode;
	c->width = m->nchains;
	c->after = mem_alloc(((size_t)m->n + 1) * sizeof(*c->after));
	c->now = mem_zalloc(((size_t)c->width + 1) * sizeof(*c->now));
	if (c->mode == CAUSAL_DEP)
		c->slice = mem_alloc(((size_t)m->n + 1) * sizeof(*c->slice));
	/* Row 0: nothing is needed. */
	*VEC_PUSH(&c->blocks) = mem_alloc((size_t)ROWS * (c->width + 1) * sizeof(uint32_t));
	memset(row(c, c->nrows++), 0, c->width * sizeof(uint32_t));
	for (uint32_t id = 1; id <= m->n; id++)
		event(c, id);
	mem_free(c->slice);
	mem_free(c->now);
	c->slice = c->now = NULL;
	return c;
}

void causal_free(struct causal *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->blocks.n; i++)
		mem_free(c->blocks.at[i]);
	VEC_RELEASE(&c->blocks);
	mem_free(c->after);
	mem_free(c);
}

/* The event before e in its chain; 0 none. */
static uint32_t chain_before(const struct model *m, uint32_t e)
{
	const struct model_event *x = &m->event[e];

	return x->index != 0 ? model_chain(m, x->chain).at[x->index - 1] : 0;
}

bool causal_upto(const struct causal *c, uint32_t e, uint32_t *cut)
{
	const struct model_event *x = &c->m->event[e];

	if (c->after[e] == NEVER)
		return false;
	clock_join(cut, row(c, c->after[e]), c->width);
	if (cut[x->chain] <= x->index)
		cut[x->chain] = x->index + 1;
	return true;
}

bool causal_before(const struct causal *c, uint32_t e, uint32_t *cut)
{
	struct model_list preds = model_preds(c->m, e);
	uint32_t p = chain_before(c->m, e);

	if (p != 0 && !causal_upto(c, p, cut))
		return false;
	for (uint32_t i = 0; i < preds.n; i++)
		if (!causal_upto(c, preds.at[i], cut))
			return false;
	return true;
}

/* The thread calls something and then waits for others: a join, or a condition wait that a signal
 * ended, of which e is the wake.  p: the event before it. */
static bool waits_for_others(const struct model *m, uint32_t e, uint32_t p)
{
	return m->event[e].op == STEP_JOIN ||
	       (m->event[e].op == STEP_GET && p != 0 && m->event[p].op == STEP_PARK &&
		m->event[p].tid == m->event[e].tid);
}

bool causal_arrive(const struct causal *c, uint32_t e, uint32_t *cut)
{
	const struct model_event *x = &c->m->event[e];
	struct model_list preds = model_preds(c->m, e);
	uint32_t p = chain_before(c->m, e);

	if (!waits_for_others(c->m, e, p))
		return causal_before(c, e, cut);
	if (p != 0 && !causal_upto(c, p, cut))
		return false;
	/* The first event of a thread needs its fork, even if it joins whoever forked it. */
	for (uint32_t i = 0; i < preds.n; i++) {
		const struct model_event *f = &c->m->event[preds.at[i]];

		if (f->op == STEP_FORK && f->partner == x->tid && !causal_upto(c, preds.at[i], cut))
			return false;
	}
	return true;
}
