/*
 * Guesses about two variables: x is touched in one region of a thread, y in a later one, and another
 * thread does something with both.  A region is an outermost critical section, or one access of shared
 * memory without any lock.  Between the two the other's accesses fit: a mixed state.
 *
 *	40	and 20 more where the other does both in one call
 *		10 more where x is read there and something depends on it, or it feeds what is done with y
 *		30 less over the end of a loop (infer.c)
 *		30 less where x or y is a counter, which is only ever added to
 *		20 less where the later region reads x again, and the earlier did not write it
 *		20 less where all that the two have in common is the thread, and that calls others
 *
 * Of regions that begin at the same two places ROUNDS are looked at; the rest as in atomicity_pairs.c.
 */
#include "order/causal.h"
#include "predict/atomicity_priv.h"

#define REGIONS 8u /* that lie between the two */
#define CELLS 12u
#define ROUNDS 16u
#define NEAR 6u
#define REACH 48u

/* What a region does with a cell: the first read and write; 0 none. */
struct use {
	uint32_t cell, first[2];
};

struct region {
	uint32_t first, last; /* events */
	uint32_t n;
	struct use at[CELLS];
};

struct pairs {
	struct atomicity *x;
	struct region past[REGIONS]; /* the latest ones, in a ring */
	uint32_t npast;
	uint32_t tid;
	bool *calls; /* by chain: it calls functions */
	bool loop;   /* over the end of a loop from the one region to the other */
	struct map rounds;
	struct map counters; /* cell, to 1 it is one, 2 it is none */
};

static bool is_access(const struct model_event *v)
{
	return v->op >= STEP_READ && v->op <= STEP_FREE && !(v->flags & STEP_SHADOW);
}

/* ---- regions ---- */

static void region_note(const struct atomicity *x, struct region *r, uint32_t e)
{
	const struct model *m = x->m;
	const struct model_event *v = &m->event[e];

	for (uint32_t i = v->touch; is_access(v) && i < v[1].touch; i++) {
		uint32_t cell = m->touches[i].cell, k = 0;

		if (!x->is_shared[cell])
			continue;
		while (k < r->n && r->at[k].cell != cell)
			k++;
		if (k == CELLS)
			return;
		if (k == r->n)
			r->at[r->n++] = (struct use){ .cell = cell };
		if (!r->at[k].first[model_writes(v)])
			r->at[k].first[model_writes(v)] = e;
	}
}

/* The region that begins with event number *i of the chain, if one does; *i goes past it.  A section that is never
 * left ends with its thread: the chain may go on with another one. */
static bool region_take(const struct atomicity *x, struct model_list list, uint32_t *i,
			struct region *r)
{
	const struct model *m = x->m;
	uint32_t e = list.at[*i], end = e;

	*r = (struct region){ .first = e, .last = e };
	if (m->event[e].op == STEP_ACQ || m->event[e].op == STEP_RACQ)
		end = m->event[e].partner ? m->event[e].partner : list.at[list.n - 1];
	do {
		region_note(x, r, list.at[*i]);
		r->last = list.at[*i];
	} while (list.at[(*i)++] != end && *i < list.n &&
		 m->event[list.at[*i]].tid == m->event[e].tid);
	return r->n > 0;
}

/* ---- scores ---- */

/* Every write is fed by a free read of the same cell, and every read is free. */
static bool counter_look(const struct model *m, uint32_t cell)
{
	struct model_list list = model_cell(m, cell);

	for (uint32_t i = 0; i < list.n; i++) {
		const struct model_event *v = &m->event[list.at[i]];
		bool fed = false;

		if (model_reads(v) && !(v->flags & STEP_FREE_READ))
			return false;
		if (v->op != STEP_WRITE)
			continue;
		for (uint32_t f = v->feed; f < v[1].feed && !fed; f++)
			for (uint32_t t = m->event[m->feeds[f]].touch;
			     m->feeds[f] && t < m->event[m->feeds[f] + 1].touch; t++)
				fed |= m->touches[t].cell == cell;
		if (!fed)
			return false;
	}
	return true;
}

static bool is_counter(struct pairs *p, uint32_t cell)
{
	uint64_t *known = map_put(&p->counters, cell, NULL);

	if (*known == 0)
		*known = counter_look(p->x->m, cell) ? 1 : 2;
	return *known == 1;
}

/* Something depends on what was read of x: its thread's way, or what it does with y. */
static bool is_needed(const struct model *m, const struct use *x, const struct use *y)
{
	uint32_t read = x->first[0], write = y->first[1];

	if (!read)
		return false;
	if (!(m->event[read].flags & STEP_FREE_READ))
		return true;
	for (uint32_t i = m->event[write].feed; write && i < m->event[write + 1].feed; i++)
		if (m->feeds[i] == read)
			return true;
	return false;
}

/* The other's two accesses, b before d, are in one call, which is not all that its thread is; or that
 * calls none. */
static bool is_together(const struct pairs *p, uint32_t b, uint32_t d)
{
	const struct calls *c = p->x->opt->calls;
	const struct model *m = p->x->m;

	return !p->calls[m->event[b].chain] || calls_common(c, m, b, d) > c->root;
}

static int base_score(struct pairs *p, const struct region *r, const struct use *x,
		      const struct region *s, const struct use *y)
{
	const struct calls *c = p->x->opt->calls;
	const struct model *m = p->x->m;
	int score = 40 + (is_needed(m, x, y) ? 10 : 0) - (p->loop ? 30 : 0);

	for (uint32_t i = 0; i < s->n; i++)
		if (s->at[i].cell == x->cell && s->at[i].first[0] && !x->first[1])
			score -= 20;
	if (is_counter(p, x->cell) || is_counter(p, y->cell))
		score -= 30;
	if (p->calls[m->event[r->first].chain] && calls_common(c, m, r->first, s->first) <= c->root)
		score -= 20;
	return score;
}

/* ---- patterns ---- */

/* The other keeps a lock over b and d that a and c hold, too, or are under none at all; or all four are
 * under none. */
static bool belong(const struct model *m, const struct atomicity_tuple *t)
{
	const struct model_event *e = m->event;
	bool open = !e[t->a].hold && !e[t->c].hold;

	if (open && !e[t->b].hold && !e[t->d].hold)
		return true;
	for (uint32_t h = e[t->b].hold; h; h = m->holds[h].next) {
		uint32_t lock = m->holds[h].lock;
		uint32_t k = model_hold_find(m, e[t->d].hold, lock, false);

		if (m->holds[k].acquire == m->holds[h].acquire &&
		    (open || (model_hold_find(m, e[t->a].hold, lock, false) &&
			      model_hold_find(m, e[t->c].hold, lock, false))))
			return true;
	}
	return false;
}

/* No run has the one of them without the other before it. */
static bool is_handed(const struct atomicity *x, uint32_t before, uint32_t e)
{
	uint32_t count = 0;

	return causal_count(x->must, e, x->m->event[before].chain, &count) &&
	       count > x->m->event[before].index;
}

/* Later in its section, or in the one around that, a condition is signalled. */
static bool is_told(const struct model *m, uint32_t e)
{
	const struct model_event *v = &m->event[e];
	struct model_list list = model_chain(m, v->chain);
	uint32_t end = v->hold ? m->event[infer_outermost(m, e)].partner : e;

	for (uint32_t i = v->index; i < list.n && i < v->index + REACH && list.at[i] != end; i++)
		if (m->event[list.at[i]].op == STEP_NOTIFY)
			return true;
	return false;
}

static int pattern_score(const struct atomicity *x, const struct atomicity_tuple *t, int score)
{
	const struct model *m = x->m;

	score -= belong(m, t) ? 0 : 30;
	score -= is_handed(x, t->a, t->b) || is_handed(x, t->d, t->c) ? 30 : 0;
	score -= m->event[t->c].op == STEP_READ && is_told(m, t->d) ? 30 : 0;
	return score > 0 ? score : 0;
}

/* Whatever each does: read or write. */
static void pattern(struct pairs *p, const struct use *x, const struct use *y, uint32_t b,
		    uint32_t d, int score)
{
	for (int w = 0; w < 4; w++) {
		struct atomicity_tuple t = { x->first[w & 1],	 b, d, y->first[w >> 1],
					     FINDING_BLOCK_PAIR, 0 };

		/* Sections that are not in each other make regions that one of them goes through. */
		if (!t.a || !t.c || infer_is_marked(p->x, t.a, t.c) ||
		    infer_is_one_section(p->x->m, t.a, t.c))
			continue;
		t.score = (uint16_t)pattern_score(p->x, &t, score);
		if (t.score >= ATOMICITY_SCORE || p->x->opt->all_blocks)
			atomicity_add_pair(p->x, &t);
	}
}

/* The other thread's b, of x, and what it does with y after it. */
static void around(struct pairs *p, const struct use *x, const struct use *y, uint32_t b, int score)
{
	const struct model *m = p->x->m;
	struct model_list list = model_chain(m, m->event[b].chain);
	uint32_t from = m->event[b].index;
	uint32_t to = list.n - from > REACH ? from + REACH : list.n;

	for (uint32_t i = from; i < to; i++) {
		uint32_t d = list.at[i];
		const struct model_event *v = &m->event[d];

		for (uint32_t t = v->touch; is_access(v) && t < v[1].touch; t++) {
			if (m->touches[t].cell == y->cell)
				pattern(p, x, y, b, d, score + (is_together(p, b, d) ? 20 : 0));
		}
	}
}

static void use_pair(struct pairs *p, const struct region *r, const struct use *x,
		     const struct region *s, const struct use *y)
{
	const struct model *m = p->x->m;
	struct model_list list = model_cell(m, x->cell);
	uint32_t e = x->first[0] ? x->first[0] : x->first[1];
	uint32_t at = SEARCH_PAST(j, 0, list.n, list.at[j] < e);
	uint32_t from = at > NEAR ? at - NEAR : 0, to = list.n - at > NEAR ? at + NEAR : list.n;
	int score = base_score(p, r, x, s, y);

	if (score + 20 < (int)ATOMICITY_SCORE && !p->x->opt->all_blocks)
		return;
	for (uint32_t j = from; j < to; j++)
		if (is_access(&m->event[list.at[j]]) &&
		    m->event[list.at[j]].chain != m->event[e].chain)
			around(p, x, y, list.at[j], score);
}

static bool has_cell(const struct region *r, uint32_t cell)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->at[i].cell == cell)
			return true;
	return false;
}

/* Some region after that one has the cell: it is the one that counts. */
static bool is_later(const struct pairs *p, uint32_t i, uint32_t cell)
{
	while (++i < p->npast)
		if (has_cell(&p->past[i % REGIONS], cell))
			return true;
	return false;
}

static void region_pair(struct pairs *p, uint32_t i, const struct region *s)
{
	const struct region *r = &p->past[i % REGIONS];
	const struct model_event *e = p->x->m->event;
	uint64_t *rounds =
		map_put(&p->rounds, (uint64_t)e[r->first].site << 32 | e[s->first].site, NULL);

	if (++*rounds > ROUNDS || infer_waits(p->x->m, r->first, s->last))
		return;
	p->loop = calls_loop(p->x->opt->calls, p->x->m, r->first, s->first);
	if (p->loop && !p->x->opt->all_blocks)
		return; /* not enough is left */
	for (uint32_t k = 0; k < r->n; k++)
		for (uint32_t y = 0; y < s->n; y++)
			if (r->at[k].cell != s->at[y].cell && !is_later(p, i, r->at[k].cell))
				use_pair(p, r, &r->at[k], s, &s->at[y]);
}

static void region_add(struct pairs *p, const struct region *s)
{
	const struct model *m = p->x->m;

	if (m->event[s->first].tid != p->tid)
		p->npast = 0;
	p->tid = m->event[s->first].tid;
	for (uint32_t i = p->npast > REGIONS ? p->npast - REGIONS : 0; i < p->npast; i++)
		region_pair(p, i, s);
	p->past[p->npast++ % REGIONS] = *s;
}

static bool *calls_find(const struct model *m, const struct calls *c)
{
	bool *out = mem_zalloc((m->nchains + 1) * sizeof(*out));

	for (uint32_t e = 1; e <= m->n; e++)
		out[m->event[e].chain] |= calls_is_called(c, e);
	return out;
}

void infer_pairs(struct atomicity *x)
{
	const struct model *m = x->m;
	struct pairs p = { .x = x, .calls = calls_find(m, x->opt->calls) };

	for (uint32_t c = 0; c < m->nchains && !engine_stopped(x->opt); c++) {
		struct model_list list = model_chain(m, c);
		struct region r;

		p.npast = 0;
		for (uint32_t i = 0; i < list.n;)
			if (region_take(x, list, &i, &r))
				region_add(&p, &r);
	}
	x->some = true;
	map_release(&p.rounds);
	map_release(&p.counters);
	mem_free(p.calls);
}
