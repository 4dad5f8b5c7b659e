/*
 * order/model: hand-made cases for each rule, and random runs against tables that are filled in
 * the obvious way.
 */
#include "tap.h"

#include <stdlib.h>

#include "step_builder.h"

static const struct model_options plain = { 0 };

static bool list_is(struct model_list l, uint32_t n, const uint32_t *want)
{
	return l.n == n && memcmp(l.at, want, n * sizeof(*want)) == 0;
}

#define LIST_IS(l, ...)                                                      \
	list_is((l), sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), \
		(uint32_t[]){ __VA_ARGS__ })

static uint32_t seen(const struct model *m, uint32_t e, uint32_t cell)
{
	for (uint32_t i = m->event[e].touch; i < m->event[e + 1].touch; i++)
		if (m->touches[i].cell == cell)
			return m->touches[i].seen;
	return UINT32_MAX;
}

static void test_splits(void)
{
	struct step_builder b = { 0 };
	struct model *m;

	step_build_access(&b, 1, STEP_WRITE, 0); /* 1: c0, later c0 c1 c2 */
	step_build_access(&b, 2, STEP_READ, 0);	 /* 2 */
	step_build_split(&b, 0, 1);
	step_build_access(&b, 2, STEP_WRITE, 1); /* 3: c1, later c1 c2 */
	step_build_access(&b, 1, STEP_READ, 0);	 /* 4: c0 and c1, later c2 too */
	step_build_cell(&b, 1);
	step_build_cell(&b, 0); /* a cell named twice */
	step_build_split(&b, 1, 2);
	step_build_access(&b, 1, STEP_READ, 2); /* 5: c2 */
	step_build_access(&b, 1, STEP_FREE, 1); /* 6 */
	step_build_access(&b, 2, STEP_READ, 1); /* 7 */
	m = step_build_model(&b, &plain);
	TAP_EQ(model_ntouches(m, 1), 3, "what was split later counts for earlier touches");
	TAP_EQ(model_ntouches(m, 2), 3, "for reads as well");
	TAP_EQ(seen(m, 2, 2), 1, "and they saw the write before the split");
	TAP_EQ(model_ntouches(m, 3), 2, "a cell that came from a split is split in turn");
	TAP_EQ(model_ntouches(m, 4), 3, "a cell named twice is touched once");
	TAP_OK(seen(m, 4, 0) == 1 && seen(m, 4, 1) == 3 && seen(m, 4, 2) == 3,
	       "what a read saw is by cell");
	TAP_EQ(model_ntouches(m, 5), 1, "touches after the split are of one part");
	TAP_EQ(seen(m, 7, 1), 6, "a free is a write");
	TAP_OK(LIST_IS(model_cell(m, 2), 1, 2, 3, 4, 5), "the list of a cell");
	TAP_OK(LIST_IS(model_cell(m, 1), 1, 2, 3, 4, 6, 7), "the list of another");
	TAP_OK(model_conflict(m, 1, 3) && !model_conflict(m, 2, 4) && !model_conflict(m, 3, 7),
	       "conflicts");
	TAP_OK(!model_conflict(m, 5, 7) && model_conflict(m, 3, 5), "conflicts are by final cells");
	TAP_OK(model_common_cell(m, 3, 5) == 2, "a common cell");
	model_free(m);
	step_builder_release(&b);
}

static void test_conflicts(void)
{
	struct step_builder b = { 0 };
	struct model *m;

	step_build_access(&b, 1, STEP_WRITE, 0);
	step_build_last(&b)->flags |= STEP_ATOMIC;
	step_build_access(&b, 2, STEP_RMW, 0);
	step_build_last(&b)->flags |= STEP_ATOMIC;
	step_build_access(&b, 3, STEP_READ, 0);
	step_build_access(&b, 4, STEP_READ, 0);
	step_build_last(&b)->flags |= STEP_SHADOW;
	step_build_access(&b, 3, STEP_WRITE, 0);
	step_build(&b, 4, STEP_ACQ, 0);
	m = step_build_model(&b, &plain);
	TAP_OK(!model_conflict(m, 1, 2), "two atomics");
	TAP_OK(model_conflict(m, 1, 3) && model_conflict(m, 3, 2), "one atomic");
	TAP_OK(!model_conflict(m, 1, 4), "a shadow is no target");
	TAP_OK(!model_conflict(m, 3, 5) && !model_conflict(m, 6, 5), "same chain; no access");
	TAP_EQ(seen(m, 2, 0), 1, "an rmw saw the write before it");
	TAP_EQ(seen(m, 3, 0), 2, "and is seen");
	model_free(m);
	step_builder_release(&b);
}

static uint32_t hold_after(const struct model *m, uint32_t e)
{
	return model_hold_at(m, m->event[e].chain, m->event[e].index + 1);
}

static bool holds_are(const struct model *m, uint32_t hold, uint32_t n, const uint32_t *acquires)
{
	for (uint32_t i = 0; i < n; i++, hold = m->holds[hold].next)
		if (hold == 0 || m->holds[hold].acquire != acquires[i])
			return false;
	return hold == 0;
}

#define HOLDS_ARE(m, h, ...)                                                        \
	holds_are((m), (h), sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), \
		  (uint32_t[]){ __VA_ARGS__ })

static void test_holds(void)
{
	struct step_builder b = { 0 };
	struct model *m;

	step_build(&b, 1, STEP_ACQ, 5);	 /* 1 */
	step_build(&b, 1, STEP_ACQ, 3);	 /* 2 */
	step_build(&b, 1, STEP_RACQ, 7); /* 3 */
	step_build(&b, 1, STEP_REL, 5);	 /* 4: not the innermost */
	step_build(&b, 1, STEP_NONE, 0); /* 5 */
	step_build(&b, 2, STEP_RACQ, 7); /* 6 */
	step_build(&b, 2, STEP_ACQ, 3);	 /* 7 */
	step_build(&b, 2, STEP_NONE, 0); /* 8 */
	step_build(&b, 1, STEP_REL, 3);	 /* 9 */
	step_build(&b, 1, STEP_NONE, 0); /* 10: {7 read} */
	step_build(&b, 1, STEP_RREL, 7); /* 11 */
	step_build(&b, 1, STEP_REL, 9);	 /* 12: not held */
	step_build(&b, 2, STEP_REL, 3);	 /* 13 */
	step_build(&b, 3, STEP_ACQ, 7);	 /* 14 */
	m = step_build_model(&b, &plain);
	TAP_OK(m->event[1].hold == 0, "nothing is held before the first acquire");
	TAP_OK(HOLDS_ARE(m, m->event[4].hold, 3, 2, 1), "innermost first");
	TAP_OK(HOLDS_ARE(m, m->event[5].hold, 3, 2), "a release out of order leaves the others");
	TAP_OK(HOLDS_ARE(m, hold_after(m, 4), 3, 2), "after a release");
	TAP_OK(HOLDS_ARE(m, hold_after(m, 14), 14), "after a thread's last event");
	TAP_OK(hold_after(m, 11) == 0, "after the last release");
	TAP_EQ(model_held_set(m, m->event[5].hold), model_held_set(m, m->event[8].hold),
	       "equal sets have equal ids, whatever the order");
	TAP_OK(m->event[1].partner == 4 && m->event[4].partner == 1 && m->event[3].partner == 11,
	       "partners");
	TAP_OK(m->event[6].partner == 0 && m->event[12].partner == 0, "and none");
	{
		uint32_t both = model_held_set(m, m->event[8].hold);
		uint32_t reader = model_held_set(m, m->event[10].hold);
		uint32_t writer = model_held_set(m, hold_after(m, 14));

		TAP_OK(model_sets_disjoint(m, reader, both), "two readers do not exclude");
		TAP_OK(!model_sets_disjoint(m, reader, writer), "reader and writer do");
		TAP_OK(!model_sets_disjoint(m, both, both), "so does a common lock");
		TAP_OK(model_sets_disjoint(m, 0, both) && model_sets_disjoint(m, 0, 0), "empty");
	}
	TAP_OK(LIST_IS(model_lock_chain(m, 7, 0), 3), "acquires of a lock by a chain");
	TAP_OK(LIST_IS(model_lock_chain(m, 7, 1), 6), "by another");
	TAP_OK(LIST_IS(model_lock_chain(m, 7, 2), 14), "by the last");
	TAP_EQ(model_lock_chain(m, 5, 1).n, 0, "by one that does not use it");
	TAP_EQ(model_lock_chain(m, 4, 1).n + model_lock_chain(m, 99, 1).n, 0, "of an unused lock");
	model_free(m);
	step_builder_release(&b);
}

static void test_edges(void)
{
	struct step_builder b = { 0 };
	struct step *s;
	struct model *m;

	step_build(&b, 1, STEP_FORK, 1); /* 1: chain 1 */
	step_build(&b, 1, STEP_FORK, 2); /* 2: chain 2, which never runs */
	step_build(&b, 1, STEP_PUT, 4);	 /* 3 */
	step_build(&b, 2, STEP_PUT, 4);	 /* 4: after 1 */
	step_build(&b, 2, STEP_PUT, 4);	 /* 5 */
	step_build(&b, 4, STEP_GET, 4);	 /* 6: after 3 and 5 */
	step_build(&b, 4, STEP_NONE, 0); /* 7: after 2 by hand, and guards */
	step_build_more(&b, STEP_AFTER, 0)->from = 2;
	step_build_more(&b, STEP_AFTER, 0)->from = 2;
	s = step_build_more(&b, STEP_GUARD, 0);
	s->when = 7;
	s->from = 3;
	s->to = 6;
	step_build(&b, 4, STEP_JOIN, 2); /* 8: after its fork, for nothing ran */
	step_build(&b, 4, STEP_JOIN, 1); /* 9: after 5 */
	step_build_more(&b, STEP_FORGET, 4);
	step_build(&b, 1, STEP_GET, 4);	 /* 10: a new channel */
	step_build(&b, 4, STEP_FORK, 1); /* 11: the chain goes on */
	step_build(&b, 2, STEP_NONE, 0); /* 12: after 11 */
	step_build(&b, 2, STEP_NONE, 0); /* 13 */
	m = step_build_model(&b, &plain);
	TAP_OK(LIST_IS(model_preds(m, 4), 1), "fork");
	TAP_EQ(model_preds(m, 5).n, 0, "only the first event after it");
	TAP_OK(LIST_IS(model_preds(m, 6), 5, 3) || LIST_IS(model_preds(m, 6), 3, 5),
	       "the latest put of each chain");
	TAP_OK(LIST_IS(model_preds(m, 7), 2), "after, once");
	TAP_OK(LIST_IS(model_preds(m, 8), 2), "join of what never ran comes after its fork");
	TAP_OK(LIST_IS(model_preds(m, 9), 5), "join");
	TAP_EQ(model_preds(m, 10).n, 0, "a channel that was forgotten");
	TAP_OK(LIST_IS(model_preds(m, 12), 11), "fork of a chain that has run before");
	TAP_EQ(model_preds(m, 13).n, 0, "none");
	TAP_OK(m->nguards == 1 && m->guards[0].when == 7 && m->guards[0].from == 3 &&
		       m->guards[0].to == 6,
	       "guard");
	TAP_OK((m->event[3].flags & MODEL_HAS_GUARDS) && (m->event[6].flags & MODEL_HAS_GUARDS) &&
		       (m->event[7].flags & MODEL_HAS_GUARDS) &&
		       !(m->event[5].flags & MODEL_HAS_GUARDS),
	       "and who has one");
	TAP_EQ(m->nchains, 4, "chains");
	TAP_OK(LIST_IS(model_chain(m, 1), 4, 5, 12, 13), "events of a chain");
	model_free(m);
	step_builder_release(&b);
}

static uint64_t free_read(struct step_builder *b, uint32_t tid, uint32_t cell, unsigned flags)
{
	step_build_access(b, tid, STEP_READ, cell);
	step_build_last(b)->flags |= (uint16_t)(STEP_FREE_READ | flags);
	return step_build_last(b)->tseq;
}

static bool feeds_are(const struct model *m, uint32_t e, uint32_t n, const uint32_t *want)
{
	return model_nfeeds(m, e) == n &&
	       memcmp(m->feeds + m->event[e].feed, want, n * sizeof(*want)) == 0;
}

#define FEEDS_ARE(m, e, ...)                                                        \
	feeds_are((m), (e), sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), \
		  (uint32_t[]){ __VA_ARGS__ })

static void test_feeds(void)
{
	struct step_builder b = { 0 };
	struct model *m;
	uint64_t one, range, binding;

	b.tseq[1] = 20;				/* numbers before 21 are not here */
	one = free_read(&b, 1, 0, 0);		/* 1 */
	step_build_access(&b, 1, STEP_READ, 1); /* 2: binds */
	binding = step_build_last(&b)->tseq;
	range = free_read(&b, 1, 2, 0); /* 3: three words */
	step_build_range(&b, 0x8000, 24);
	step_build_access(&b, 2, STEP_NONE, 0); /* 4 */
	free_read(&b, 1, 3, 0);			/* 5: the rest of that range */
	step_build_last(&b)->addr = 0x8018;
	step_build_access(&b, 1, STEP_WRITE, 4); /* 6 */
	step_build_feed(&b, range + 1);
	step_build_feed(&b, one);
	step_build_feed(&b, range);
	step_build_access(&b, 1, STEP_WRITE, 4); /* 7 */
	step_build_feed(&b, binding);
	step_build_access(&b, 1, STEP_WRITE, 4); /* 8 */
	step_build_feed(&b, 20);
	step_build_access(&b, 1, STEP_RMW, 4); /* 9 */
	step_build_last(&b)->flags |= STEP_FREE_READ;
	step_build_feed(&b, step_build_last(&b)->tseq);
	step_build_access(&b, 1, STEP_RMW, 4); /* 10: binds */
	step_build_feed(&b, step_build_last(&b)->tseq);
	step_build(&b, 1, STEP_USE, 0); /* 11 */
	step_build_feed(&b, one);
	free_read(&b, 1, 5, STEP_SHADOW); /* 12 */
	step_build_last(&b)->tseq--;
	step_build_access(&b, 1, STEP_WRITE, 4); /* 13: feeds of others do not matter */
	step_build_feed(&b, range + 3);
	m = step_build_model(&b, &plain);
	TAP_OK(FEEDS_ARE(m, 6, 1, 3, 5), "numbers inside a range, its pieces, each once");
	TAP_EQ(model_nfeeds(m, 7), 0, "binding reads are dropped");
	TAP_OK(FEEDS_ARE(m, 8, 0), "a number from before the model");
	TAP_OK(FEEDS_ARE(m, 9, 9), "an rmw may feed itself");
	TAP_EQ(model_nfeeds(m, 10), 0, "not when its read binds");
	TAP_OK(FEEDS_ARE(m, 11, 1), "use");
	TAP_OK(FEEDS_ARE(m, 13, 5), "a piece by its own number");
	TAP_OK(m->has_facts, "there are facts");
	model_free(m);
	step_builder_release(&b);
}

static void test_limit(void)
{
	struct step_builder b = { 0 };
	struct model *m;

	for (int i = 0; i < 10; i++)
		step_build_access(&b, 1, i % 2 ? STEP_READ : STEP_WRITE, 0);
	step_build_more(&b, STEP_PUT, 0);
	m = step_build_model(&b, &(struct model_options){ .limit = 4 });
	TAP_OK(m->n == 4 && model_ntouches(m, 4) == 1, "the limit");
	TAP_OK(!m->has_facts, "no facts");
	model_free(m);
	m = step_build_model(&b, &(struct model_options){ .limit = 10 });
	TAP_EQ(m->n, 10, "as many as the limit");
	model_free(m);
	step_builder_release(&b);
	m = step_build_model(&b, &plain);
	TAP_OK(m->n == 0 && m->nchains == 0 && model_cell(m, 0).n == 0, "nothing at all");
	model_free(m);
}

/*
 * Random runs.  The reference: a table of events by cells, where a split copies the marks of one
 * column to another; locks held as a list of (lock, mode) for each thread.
 */
#define EVENTS 60
#define CELLS 24
#define THREADS 4
#define LOCKS 5

struct held {
	uint32_t acquire, lock;
	bool shared;
};

struct reference {
	struct step_builder b;
	uint32_t ncells;
	bool touch[EVENTS + 1][CELLS];
	uint8_t op[EVENTS + 1], tid[EVENTS + 1];
	struct held held[EVENTS + 2][LOCKS]; /* before the event, outermost first */
	uint32_t nheld[EVENTS + 2];
	struct held now[THREADS + 1][LOCKS];
	uint32_t nnow[THREADS + 1];
	uint32_t partner[EVENTS + 1];
};

static void random_split(struct reference *r)
{
	uint32_t cell = (uint32_t)rand() % r->ncells;

	if (r->ncells == CELLS)
		return;
	for (uint32_t e = 1; e <= r->b.pos; e++)
		r->touch[e][r->ncells] = r->touch[e][cell];
	step_build_split(&r->b, cell, r->ncells++);
}

static void random_access(struct reference *r, uint32_t tid)
{
	uint32_t cell = (uint32_t)rand() % r->ncells;
	uint32_t e = step_build_access(&r->b, tid, STEP_READ + rand() % 4, cell);

	r->touch[e][cell] = true;
	while (rand() % 3 == 0) {
		cell = (uint32_t)rand() % r->ncells;
		step_build_cell(&r->b, cell);
		r->touch[e][cell] = true;
	}
}

static bool lock_is_free(const struct reference *r, uint32_t lock, bool shared)
{
	for (int t = 1; t <= THREADS; t++)
		for (uint32_t i = 0; i < r->nnow[t]; i++)
			if (r->now[t][i].lock == lock && !(shared && r->now[t][i].shared))
				return false;
	return true;
}

static void random_lock(struct reference *r, uint32_t tid)
{
	uint32_t lock = (uint32_t)rand() % LOCKS, n = r->nnow[tid];
	bool shared = rand() % 3 == 0;

	for (uint32_t i = 0; i < n; i++) {
		if (r->now[tid][i].lock != lock)
			continue;
		r->partner[r->b.pos + 1] = r->now[tid][i].acquire;
		r->partner[r->now[tid][i].acquire] = r->b.pos + 1;
		step_build(&r->b, tid, r->now[tid][i].shared ? STEP_RREL : STEP_REL, lock);
		memmove(&r->now[tid][i], &r->now[tid][i + 1], (n - i - 1) * sizeof(struct held));
		r->nnow[tid]--;
		return;
	}
	if (!lock_is_free(r, lock, shared)) {
		step_build(&r->b, tid, STEP_NONE, 0);
		return;
	}
	r->now[tid][n] = (struct held){ r->b.pos + 1, lock, shared };
	r->nnow[tid]++;
	step_build(&r->b, tid, shared ? STEP_RACQ : STEP_ACQ, lock);
}

static void random_run(struct reference *r)
{
	memset(r, 0, sizeof(*r));
	r->ncells = 3;
	while (r->b.pos < EVENTS) {
		uint32_t tid = 1 + (uint32_t)rand() % THREADS, e = r->b.pos + 1;

		memcpy(r->held[e], r->now[tid], sizeof(r->held[e]));
		r->nheld[e] = r->nnow[tid];
		if (rand() % 6 == 0)
			random_split(r);
		if (rand() % 2)
			random_access(r, tid);
		else
			random_lock(r, tid);
		r->op[e] = r->b.steps.at[r->b.steps.n - 1].op;
		r->tid[e] = (uint8_t)tid;
	}
}

static bool touches_agree(const struct reference *r, const struct model *m)
{
	uint32_t latest[CELLS] = { 0 }, n[CELLS] = { 0 };

	for (uint32_t e = 1; e <= EVENTS; e++) {
		uint32_t at = m->event[e].touch;

		for (uint32_t c = 0; c < r->ncells; c++) {
			struct model_list l = model_cell(m, c);

			if (!r->touch[e][c])
				continue;
			if (at == m->event[e + 1].touch || m->touches[at].cell != c ||
			    m->touches[at].seen != latest[c] || n[c] >= l.n || l.at[n[c]] != e)
				return false;
			if (r->op[e] != STEP_READ)
				latest[c] = e;
			n[c]++;
			at++;
		}
		if (at != m->event[e + 1].touch)
			return false;
	}
	for (uint32_t c = 0; c < r->ncells; c++)
		if (model_cell(m, c).n != n[c])
			return false;
	return true;
}

/* The set as a number: two bits for each lock. */
static uint32_t set_of(const struct held *h, uint32_t n)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < n; i++)
		set |= (h[i].shared ? 1u : 2u) << 2 * h[i].lock;
	return set;
}

static bool held_agrees(const struct reference *r, const struct model *m, uint32_t e)
{
	uint32_t hold = m->event[e].hold;

	for (uint32_t i = r->nheld[e]; i-- > 0; hold = m->holds[hold].next) {
		const struct held *h = &r->held[e][i];
		const struct model_hold *got = &m->holds[hold];

		if (hold == 0 || got->acquire != h->acquire || got->lock != h->lock ||
		    got->shared != h->shared)
			return false;
	}
	return hold == 0 && m->event[e].partner == r->partner[e];
}

static bool sets_agree(const struct reference *r, const struct model *m, uint32_t a, uint32_t b)
{
	uint32_t x = set_of(r->held[a], r->nheld[a]), y = set_of(r->held[b], r->nheld[b]);
	uint32_t writes = 0xaaaaaaaau,
		 clash = (x & y & writes) | (x << 1 & y & writes) | (x & y << 1 & writes);
	uint32_t sa = model_held_set(m, m->event[a].hold), sb = model_held_set(m, m->event[b].hold);

	return (sa == sb) == (x == y) && model_sets_disjoint(m, sa, sb) == (clash == 0);
}

static bool locks_agree(const struct reference *r, const struct model *m)
{
	for (uint32_t lock = 0; lock < LOCKS; lock++) {
		uint32_t nchain[THREADS] = { 0 };

		for (uint32_t e = 1; e <= EVENTS; e++) {
			uint32_t chain = r->tid[e] - 1u;
			struct model_list l = model_lock_chain(m, lock, chain);

			if ((r->op[e] != STEP_ACQ && r->op[e] != STEP_RACQ) ||
			    m->event[e].obj != lock)
				continue;
			if (nchain[chain] >= l.n || l.at[nchain[chain]++] != e)
				return false;
		}
		for (uint32_t c = 0; c < THREADS; c++)
			if (model_lock_chain(m, lock, c).n != nchain[c])
				return false;
	}
	return true;
}

static bool conflicts_agree(const struct reference *r, const struct model *m, uint32_t a,
			    uint32_t b)
{
	bool shared = false, access = r->op[a] >= STEP_READ && r->op[a] <= STEP_FREE &&
				      r->op[b] >= STEP_READ && r->op[b] <= STEP_FREE;

	for (uint32_t c = 0; c < r->ncells; c++)
		shared |= r->touch[a][c] && r->touch[b][c];
	return model_conflict(m, a, b) == (access && shared && r->tid[a] != r->tid[b] &&
					   (r->op[a] != STEP_READ || r->op[b] != STEP_READ));
}

static bool run_agrees(const struct reference *r, const struct model *m)
{
	bool good = touches_agree(r, m) && locks_agree(r, m);

	for (uint32_t a = 1; a <= EVENTS; a++) {
		good = good && held_agrees(r, m, a);
		for (uint32_t b = 1; b <= EVENTS; b++)
			good = good && sets_agree(r, m, a, b) && conflicts_agree(r, m, a, b);
	}
	return good;
}

static void test_random(void)
{
	static struct reference r;
	int wrong = 0;

	srand(7);
	for (int run = 0; run < 500; run++) {
		struct model *m;

		random_run(&r);
		m = step_build_model(&r.b, &plain);
		wrong += !run_agrees(&r, m);
		model_free(m);
		step_builder_release(&r.b);
	}
	TAP_EQ(wrong, 0, "500 random runs: touches, holds, sets, lists, conflicts");
}

int main(void)
{
	test_splits();
	test_conflicts();
	test_holds();
	test_edges();
	test_feeds();
	test_limit();
	test_random();
	return tap_done();
}
