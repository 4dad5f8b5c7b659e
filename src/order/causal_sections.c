/*
 * Sets that keep the order of sections: of the sections of each lock only the one latest in the
 * trace may be open.  The definition, for a set I:
 *
 *	repeat until nothing changes:
 *		for acquires a, b of a lock in I that exclude each other, a before b in the trace:
 *			I := I joined with what the release of a needs; no release: NEVER
 *
 * Each set carries the latest acquires of its locks.  Of two closed sets only the latest ones
 * can clash, so a join costs the locks in which the two differ, whatever else they hold:
 *
 *	lock	 k    l    m
 *	one	 7    12   .
 *	other	 7    30   8	the section of 12 must be over: joined with what its release needs,
 *				a closed set that was made before
 *
 * With readers there are several latest sections, one for each chain; those before the latest
 * exclusive one must be over.
 */

#include "order/causal_priv.h"

static void join_set(struct causal_growing *g, uint32_t set)
{
	struct causal_set other = g->c->sets.at[set];

	g->set.cut = rowtree_join(g->cuts, g->set.cut, other.cut, g->cut_mark, NULL);
	if (g->c->sections)
		g->set.locks =
			rowtree_join(g->locks, g->set.locks, other.locks, g->lock_mark, g->clashes);
}

void causal_join(struct causal_growing *g, uint32_t set, uint32_t e)
{
	const struct model_event *w = &g->c->m->event[e];

	join_set(g, set);
	if (w->chain != g->chain)
		g->set.cut =
			rowtree_raise(g->cuts, g->set.cut, w->chain, w->index + 1, g->cut_mark);
}

/* The section that this acquire begins must be over. */
static void section_close(struct causal_growing *g, uint32_t acquire)
{
	uint32_t release = g->c->m->event[acquire].partner;

	if (release != 0 && causal_growing_has(g, release))
		return;
	if (release == 0 || g->c->after[release] == CAUSAL_NEVER)
		g->never = true;
	else
		causal_join(g, g->c->after[release], release);
}

/* The latest acquire among those of one chain that the set has; 0 none. */
static uint32_t section_latest(const struct causal_growing *g, struct model_list l, uint32_t chain)
{
	uint32_t past = model_list_within(g->c->m, l, causal_growing_at(g, chain));

	return past > 0 ? l.at[past - 1] : 0;
}

/* Read sections that began before the exclusive one must be over. */
static void readers_close(struct causal_growing *g, uint32_t lock, uint32_t writer)
{
	const struct model *m = g->c->m;

	for (uint32_t i = 0; i < model_lock_nchains(m, lock) && !g->never; i++) {
		uint32_t chain, last;
		struct model_list l = model_lock_nth(m, lock, i, &chain);

		last = section_latest(g, l, chain);
		if (last != 0 && last < writer && m->event[last].op == STEP_RACQ)
			section_close(g, last);
	}
}

void causal_acquire(struct causal_growing *g, uint32_t e)
{
	const struct model_event *v = &g->c->m->event[e];
	bool shared = v->op == STEP_RACQ;
	uint32_t key = 2 * v->obj, writer = rowtree_at(g->locks, g->set.locks, key);
	uint32_t reader = rowtree_at(g->locks, g->set.locks, key + 1);

	/* First, so that what is joined below is held against it. */
	g->set.locks = rowtree_raise(g->locks, g->set.locks, key + shared, e, g->lock_mark);
	if (writer != 0)
		section_close(g, writer);
	if (reader != 0 && !shared && !g->never)
		readers_close(g, v->obj, e);
}

/* Two sets came together: of lock `lock' the latest were these. */
static void lock_settle(struct causal_growing *g, uint32_t lock, struct rowtree_clash w,
			struct rowtree_clash r)
{
	uint32_t earlier = w.mine < w.other ? w.mine : w.other;
	uint32_t latest = w.mine < w.other ? w.other : w.mine;
	uint32_t reader = r.mine < r.other ? r.other : r.mine;

	if (earlier != latest && earlier != 0)
		section_close(g, earlier);
	if (reader > latest && latest != 0 && !g->never)
		section_close(g, latest);
	/* The readers of the set that has the latest one were looked at there. */
	if (earlier != latest && (w.mine < w.other ? r.mine : r.other) != 0 && !g->never)
		readers_close(g, lock, latest);
}

void causal_settle(struct causal_growing *g)
{
	while (g->clashes->at.n > 0 && !g->never) {
		struct rowtree_clash r = g->clashes->at.at[--g->clashes->at.n];
		struct rowtree_clash w = g->clashes->at.at[--g->clashes->at.n];

		assert(w.key % 2 == 0 && r.key == w.key + 1);
		lock_settle(g, w.key / 2, w, r);
		if (g->stop != 0 && causal_growing_has(g, g->stop))
			break;
	}
	VEC_CLEAR(&g->clashes->at);
}

/* ---- two events ---- */

struct causal_meeting {
	const struct causal *c;
	struct rowtree cuts, locks;
	struct rowtree_clashes clashes;
	struct causal_growing g;
};

struct causal_meeting *causal_meeting_new(const struct causal *c)
{
	struct causal_meeting *t = mem_zalloc(sizeof(*t));

	t->c = c;
	rowtree_init_scratch(&t->cuts, &c->cuts);
	rowtree_init_scratch(&t->locks, &c->locks);
	return t;
}

void causal_meeting_free(struct causal_meeting *t)
{
	rowtree_release(&t->cuts);
	rowtree_release(&t->locks);
	VEC_RELEASE(&t->clashes.at);
	mem_free(t);
}

bool causal_meet(struct causal_meeting *t, uint32_t a, uint32_t b)
{
	const struct model_event *x = &t->c->m->event[a], *y = &t->c->m->event[b];
	uint32_t sets[] = { causal_set_before(t->c, a), causal_set_before(t->c, b) };
	struct causal_growing *g = &t->g;

	if (sets[0] == CAUSAL_NEVER || sets[1] == CAUSAL_NEVER)
		return false;
	rowtree_forget(&t->cuts);
	rowtree_forget(&t->locks);
	*g = (struct causal_growing){
		.c = t->c,
		.cuts = &t->cuts,
		.locks = &t->locks,
		.cut_mark = t->cuts.first,
		.lock_mark = t->locks.first,
		.set = t->c->sets.at[sets[0]],
		.chain = UINT32_MAX,
		.stop = a,
		.clashes = &t->clashes,
	};
	g->set.cut = rowtree_raise(g->cuts, g->set.cut, x->chain, x->index, g->cut_mark);
	join_set(g, sets[1]);
	g->set.cut = rowtree_raise(g->cuts, g->set.cut, y->chain, y->index, g->cut_mark);
	causal_settle(g);
	return !g->never;
}

uint32_t causal_meeting_at(const struct causal_meeting *t, uint32_t chain)
{
	return causal_growing_at(&t->g, chain);
}

void causal_meeting_into(const struct causal_meeting *t, uint32_t *cut)
{
	rowtree_into(&t->cuts, t->g.set.cut, cut);
}
