/*
 * One pass over the events; the reference model is (doc/SEMANTICS.md 2.1, 2.2)
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
 * room, and they change when the chain learns something: a set is shared by all events up to the
 * next change, and sets share what they have in common (order/rowtree.h).  Slices are named by their
 * write, and share its set when no feed adds to it; Q is worked out again from the touches of q for
 * each use.
 *
 * What is not compared.  TLC sets are closed: who has an event has all it needs.  So whether
 * TLC(w) is news is one look at the counter of w's chain.  Slices that feeds have enlarged are
 * not of that kind, and are compared counter by counter.
 *
 * With sections kept all sets are closed by them too (causal_sections.c).
 *
 * tests/unit/test_causal.c holds this file to sets of events closed by the rules, test_syncp.c
 * those with sections.
 */
#include "order/causal.h"

#include "order/causal_priv.h"

#define GIVE_UP_EVERY 4096u /* events */

/* Begins with what is known after an event of the chain. */
static struct causal_growing growing_begin(struct causal *c, uint32_t chain, uint32_t set)
{
	return (struct causal_growing){
		.c = c,
		.cuts = &c->cuts,
		.locks = &c->locks,
		.cut_mark = rowtree_mark(&c->cuts),
		.lock_mark = rowtree_mark(&c->locks),
		.set = c->sets.at[set == CAUSAL_NEVER ? 0 : set],
		.chain = chain,
		.never = set == CAUSAL_NEVER,
		.clashes = &c->clashes,
	};
}

/* Keeps the set, which may not be changed from here on.  was: the one it began with. */
static uint32_t growing_keep(struct causal *c, struct causal_growing *g, uint32_t was)
{
	if (g->never)
		return CAUSAL_NEVER;
	g->cut_mark = rowtree_mark(&c->cuts);
	g->lock_mark = rowtree_mark(&c->locks);
	if (was != CAUSAL_NEVER && c->sets.at[was].cut == g->set.cut &&
	    c->sets.at[was].locks == g->set.locks)
		return was;
	assert(c->sets.n < CAUSAL_NEVER);
	*VEC_PUSH(&c->sets) = g->set;
	return (uint32_t)c->sets.n - 1;
}

/* Joins TLC of event id. */
static void join_after(struct causal_growing *g, uint32_t id)
{
	if (g->never)
		return;
	if (g->c->after[id] == CAUSAL_NEVER)
		g->never = true;
	else if (!causal_growing_has(g, id))
		causal_join(g, g->c->after[id], id);
}

/* Joins the slice of write id; 0 is the initial value, which needs nothing. */
static void join_slice(struct causal_growing *g, uint32_t id)
{
	uint32_t slice;

	if (g->never || id == 0)
		return;
	slice = g->c->slice[id];
	if (slice == CAUSAL_NEVER)
		g->never = true;
	else if (slice == g->c->after[id])
		join_after(g, id);
	else if (!causal_growing_has(g, id) ||
		 !rowtree_leq(g->cuts, g->c->sets.at[slice].cut, g->set.cut, g->chain))
		causal_join(g, slice, id); /* the own chain aside: g has all of its own */
}

/* Joins what the value of a read depends on. */
static void join_value(struct causal_growing *g, const struct model_event *e)
{
	if (e->flags & STEP_TAINTED)
		g->never = true;
	for (uint32_t i = e->touch; i < e[1].touch; i++)
		join_slice(g, g->c->m->touches[i].seen);
}

static bool is_tested(const struct causal *c, uint32_t read, const struct model_event *at)
{
	return c->loose && model_is_tested(c->m, read, (uint32_t)(at - c->m->event));
}

static void join_feeds(struct causal_growing *g, const struct model_event *e)
{
	const struct model *m = g->c->m;

	for (uint32_t i = e->feed; i < e[1].feed; i++) {
		if (e->op == STEP_USE && is_tested(g->c, m->feeds[i], e))
			continue;
		if (m->feeds[i] == 0)
			g->never = true;
		else
			join_value(g, &m->event[m->feeds[i]]);
	}
}

static void strict_event(struct causal_growing *g, const struct model_event *e)
{
	if (!model_reads(e))
		return;
	g->never |= (e->flags & STEP_TAINTED) != 0;
	for (uint32_t i = e->touch; i < e[1].touch; i++)
		if (g->c->m->touches[i].seen != 0)
			join_after(g, g->c->m->touches[i].seen);
}

static void dep_event(struct causal_growing *g, const struct model_event *e)
{
	if (e->op == STEP_USE)
		join_feeds(g, e);
	if (model_binds(e) && !is_tested(g->c, (uint32_t)(e - g->c->m->event), e))
		join_value(g, e);
}

/* What e needs to be next, beyond the event before it.  was: the set of that one.  A wait of a semaphore
 * may be called when there is nothing to take, so that is needed by what comes after it alone. */
static void before_event(struct causal *c, struct causal_growing *g, uint32_t e, uint32_t was)
{
	struct model_list preds = model_preds(c->m, e);
	struct model_list more = c->paired ? model_pairs(c->m, e) : model_counted(c->m, e);

	for (uint32_t i = 0; i < preds.n; i++)
		join_after(g, preds.at[i]);
	causal_settle(g);
	if (preds.n + more.n > 0)
		*map_put(&c->before, e, NULL) = growing_keep(c, g, was);
	for (uint32_t i = 0; i < more.n; i++)
		join_after(g, more.at[i]);
	causal_settle(g);
}

static void event(struct causal *c, uint32_t id)
{
	const struct model_event *e = &c->m->event[id];
	uint32_t was = c->now[e->chain];
	struct causal_growing g = growing_begin(c, e->chain, was);

	g.own = e->index;
	before_event(c, &g, id, was);
	if (e->flags & STEP_STOP)
		g.never = true;
	if (c->mode == CAUSAL_STRICT)
		strict_event(&g, e);
	else if (c->mode == CAUSAL_DEP)
		dep_event(&g, e);
	g.own = e->index + 1;
	if (c->sections && !g.never && (e->op == STEP_ACQ || e->op == STEP_RACQ))
		causal_acquire(&g, id);
	causal_settle(&g);
	c->after[id] = c->now[e->chain] = growing_keep(c, &g, was);
	if (c->mode == CAUSAL_DEP && model_writes(e)) {
		join_feeds(&g, e);
		causal_settle(&g);
		c->slice[id] = growing_keep(c, &g, c->after[id]);
	}
}

/* The user has waited enough.  Events that have not had their turn are in no reordering. */
static bool is_given_up(const struct model *m, uint32_t id)
{
	return id % GIVE_UP_EVERY == 0 && m->stop && *m->stop;
}

struct causal *causal_new(const struct model *m, enum causal_mode mode, bool sections)
{
	struct causal *c = mem_zalloc(sizeof(*c));

	c->m = m;
	c->sections = sections;
	c->paired = mode == CAUSAL_STRICT || mode == CAUSAL_DEP;
	c->loose = mode == CAUSAL_MUST_LOOSE && m->tests.n != 0;
	if (mode >= CAUSAL_MUST_STRICT)
		mode = mode == CAUSAL_MUST_STRICT ? CAUSAL_STRICT : CAUSAL_DEP;
	/* Without free reads and feeds the two are one, and STRICT is the faster. */
	c->mode = mode == CAUSAL_DEP && !m->has_facts && m->event[m->n + 1].feed == 0
			  ? CAUSAL_STRICT
			  : mode;
	rowtree_init(&c->cuts, m->nchains);
	rowtree_init(&c->locks, 2 * m->nlocks);
	*VEC_PUSH(&c->sets) = (struct causal_set){ 0, 0 };
	/* NEVER until it is known: an event that needs a later one is in no reordering. */
	c->after = mem_alloc(((size_t)m->n + 1) * sizeof(*c->after));
	memset(c->after, 0xff, ((size_t)m->n + 1) * sizeof(*c->after));
	c->now = mem_zalloc(((size_t)m->nchains + 1) * sizeof(*c->now));
	if (c->mode == CAUSAL_DEP)
		c->slice = mem_alloc(((size_t)m->n + 1) * sizeof(*c->slice));
	for (uint32_t id = 1; id <= m->n && !is_given_up(m, id); id++)
		event(c, id);
	MEM_FREE_ALL(c->slice, c->now);
	VEC_RELEASE(&c->clashes.at);
	c->slice = c->now = NULL;
	return c;
}

void causal_free(struct causal *c)
{
	if (c == NULL)
		return;
	rowtree_release(&c->cuts);
	rowtree_release(&c->locks);
	VEC_RELEASE(&c->sets);
	map_release(&c->before);
	MEM_FREE_ALL(c->after, c);
}

/* The event before e in its chain; 0 none. */
static uint32_t chain_before(const struct model *m, uint32_t e)
{
	const struct model_event *x = &m->event[e];

	return x->index != 0 ? model_chain(m, x->chain).at[x->index - 1] : 0;
}

uint32_t causal_set_before(const struct causal *c, uint32_t e)
{
	uint32_t p = chain_before(c->m, e);
	const struct model_event *x = &c->m->event[e];
	const uint64_t *at = NULL;

	if ((x->flags & MODEL_HAS_PREDS) || (x->op >= STEP_POST && x->op <= STEP_BUSY))
		at = map_get(&c->before, e);
	if (at)
		return (uint32_t)*at;
	return p != 0 ? c->after[p] : 0;
}

bool causal_known(const struct causal *c, uint32_t e, struct causal_known *out)
{
	uint32_t set = causal_set_before(c, e);

	*out = (struct causal_known){ &c->cuts, 0, c->m->event[e].chain, c->m->event[e].index };
	if (set == CAUSAL_NEVER)
		return false;
	out->row = c->sets.at[set].cut;
	return true;
}

static void cut_raise(uint32_t *cut, uint32_t chain, uint32_t n)
{
	cut[chain] = cut[chain] > n ? cut[chain] : n;
}

bool causal_upto(const struct causal *c, uint32_t e, uint32_t *cut)
{
	const struct model_event *x = &c->m->event[e];

	if (c->after[e] == CAUSAL_NEVER)
		return false;
	rowtree_into(&c->cuts, c->sets.at[c->after[e]].cut, cut);
	cut_raise(cut, x->chain, x->index + 1);
	return true;
}

bool causal_count(const struct causal *c, uint32_t e, uint32_t chain, uint32_t *n)
{
	const struct model_event *x = &c->m->event[e];

	if (c->after[e] == CAUSAL_NEVER)
		return false;
	*n = chain == x->chain ? x->index + 1
			       : rowtree_at(&c->cuts, c->sets.at[c->after[e]].cut, chain);
	return true;
}

bool causal_before(const struct causal *c, uint32_t e, uint32_t *cut)
{
	struct causal_known k;

	if (!causal_known(c, e, &k))
		return false;
	rowtree_into(k.rows, k.row, cut);
	cut_raise(cut, k.chain, k.own);
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
