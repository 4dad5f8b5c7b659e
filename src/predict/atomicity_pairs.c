/*
 * Patterns of two cells: a and c of a block touch no cell in common, the other thread's b and d are in
 * conflict with them.
 *
 *	S	a ... c		b ... d		a before b, d before c
 *	X	a ... c		d ... b		the same; d and b are in one block
 *
 * With all_pairs all of them.  Otherwise few: of the blocks that begin at one place the first BLOCKS; of
 * a cell of the block the accesses of others NEAR to it in the trace; of these threads what they do
 * within REACH events; and of the block, for each cell, the first and last read and write.
 */
#include "predict/atomicity_priv.h"

#define BLOCKS 64u
#define CELLS 16u
#define NEAR 6u
#define REACH 48u

static bool is_access(const struct model_event *v)
{
	return v->op >= STEP_READ && v->op <= STEP_FREE && !(v->flags & STEP_SHADOW);
}

/* They touch a cell in common. */
static bool is_common(const struct model *m, uint32_t a, uint32_t b)
{
	const struct model_touch *x = m->touches + m->event[a].touch;
	const struct model_touch *y = m->touches + m->event[b].touch;
	const struct model_touch *xe = m->touches + m->event[a + 1].touch;
	const struct model_touch *ye = m->touches + m->event[b + 1].touch;

	while (x < xe && y < ye) {
		if (x->cell == y->cell)
			return true;
		if (x->cell < y->cell)
			x++;
		else
			y++;
	}
	return false;
}

static bool is_conflict(const struct model *m, uint32_t a, uint32_t b)
{
	const struct model_event *x = &m->event[a], *y = &m->event[b];

	return x->chain != y->chain && (model_writes(x) || model_writes(y)) && is_common(m, a, b);
}

void atomicity_add_pair(struct atomicity *x, const struct atomicity_tuple *t)
{
	const struct model *m = x->m;
	uint32_t a = t->a, b = t->b, c = t->c, d = t->d;
	struct atomicity_tuple s = *t;

	if (m->event[a].index >= m->event[c].index || m->event[b].chain != m->event[d].chain ||
	    m->event[b].tid != m->event[d].tid || is_common(m, a, c))
		return;
	if (atomicity_is_cross(m, t) &&
	    (x->blocks.of[b] == 0 || x->blocks.of[b] != x->blocks.of[d]))
		return;
	if (!is_conflict(m, a, b) || !is_conflict(m, d, c))
		return;
	/* Crossing is the same from either side. */
	if (atomicity_is_cross(m, t) && d < a) {
		s.a = d;
		s.b = c;
		s.d = a;
		s.c = b;
	}
	atomicity_add(x, &s);
}

/* a and c of a marked block, b and d of another thread. */
static void pair_add(struct atomicity *x, uint32_t a, uint32_t b, uint32_t d, uint32_t c)
{
	struct atomicity_tuple t = { a, b, d, c, FINDING_BLOCK_MARKED, ATOMICITY_MARKED };

	atomicity_add_pair(x, &t);
}

/* ---- all ---- */

static void all_of(struct atomicity *x, uint32_t a, uint32_t c)
{
	const struct model *m = x->m;

	for (uint32_t b = 1; b <= m->n && !x->full; b++) {
		if (!is_access(&m->event[b]) || !is_conflict(m, a, b))
			continue;
		for (uint32_t d = 1; d <= m->n; d++)
			if (is_access(&m->event[d]))
				pair_add(x, a, b, d, c);
	}
}

static void gather_all(struct atomicity *x)
{
	const struct model *m = x->m;

	for (uint32_t a = 1; a <= m->n; a++)
		for (uint32_t c = a + 1; x->blocks.of[a] && c <= m->n && !x->full; c++)
			if (x->blocks.of[a] == x->blocks.of[c] && is_access(&m->event[a]) &&
			    is_access(&m->event[c]) && !engine_stopped(x->opt))
				all_of(x, a, c);
}

/* ---- some ---- */

/* What a block does with a cell: its first and last read, then write; 0 none. */
struct use {
	uint32_t cell;
	uint32_t first[2], last[2];
};

struct block {
	struct use at[CELLS];
	uint32_t n;
};

static struct use *use_of(struct block *b, uint32_t cell)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (b->at[i].cell == cell)
			return &b->at[i];
	if (b->n == CELLS)
		return NULL;
	b->at[b->n] = (struct use){ .cell = cell };
	return &b->at[b->n++];
}

static void block_note(struct atomicity *x, struct block *b, uint32_t e)
{
	const struct model_event *v = &x->m->event[e];

	for (uint32_t i = v->touch; is_access(v) && i < v[1].touch; i++) {
		struct use *u = NULL;
		bool writes = model_writes(v);

		if (x->is_shared[x->m->touches[i].cell])
			u = use_of(b, x->m->touches[i].cell);
		if (!u)
			continue;
		if (!u->first[writes])
			u->first[writes] = e;
		u->last[writes] = e;
	}
}

/* ... and d of another cell, if the block has that. */
static void beside(struct atomicity *x, const struct block *k, const struct use *one, uint32_t b,
		   uint32_t d, uint32_t cell)
{
	uint32_t y = 0;

	while (y < k->n && k->at[y].cell != cell)
		y++;
	for (int w = 0; w < 4 && y < k->n; w++) {
		uint32_t a = one->first[w & 1], first = k->at[y].first[w >> 1];

		pair_add(x, a, b, d, first);
		if (k->at[y].last[w >> 1] != first)
			pair_add(x, a, b, d, k->at[y].last[w >> 1]);
	}
}

/* The other thread's b, of a cell of the block, and what it does around. */
static void around(struct atomicity *x, const struct block *k, const struct use *one, uint32_t b)
{
	const struct model *m = x->m;
	struct model_list list = model_chain(m, m->event[b].chain);
	uint32_t at = m->event[b].index, from = at > REACH ? at - REACH : 0;
	uint32_t to = list.n - at > REACH ? at + REACH : list.n;

	for (uint32_t i = from; i < to; i++) {
		const struct model_event *v = &m->event[list.at[i]];

		for (uint32_t t = v->touch; is_access(v) && t < v[1].touch; t++)
			if (m->touches[t].cell != one->cell)
				beside(x, k, one, b, list.at[i], m->touches[t].cell);
	}
}

static void block_pairs(struct atomicity *x, const struct block *k)
{
	const struct model *m = x->m;

	for (uint32_t i = 0; i < k->n && k->n > 1; i++) {
		const struct use *u = &k->at[i];
		uint32_t e = u->first[0] ? u->first[0] : u->first[1];
		struct model_list list = model_cell(m, u->cell);
		uint32_t at = SEARCH_PAST(j, 0, list.n, list.at[j] < e);
		uint32_t from = at > NEAR ? at - NEAR : 0;
		uint32_t to = list.n - at > NEAR ? at + NEAR : list.n;

		for (uint32_t j = from; j < to; j++)
			if (is_access(&m->event[list.at[j]]) &&
			    m->event[list.at[j]].chain != m->event[e].chain)
				around(x, k, u, list.at[j]);
	}
}

/* Event 0 stands for none: it is in no block and touches nothing. */
static void gather_some(struct atomicity *x)
{
	const struct model *m = x->m;
	struct map times = { 0 }; /* place, to blocks that were looked at */

	for (uint32_t c = 0; c < m->nchains && !engine_stopped(x->opt); c++) {
		struct model_list list = model_chain(m, c);

		for (uint32_t i = 0; i < list.n;) {
			uint32_t first = x->blocks.of[list.at[i]];
			struct block k = { .n = 0 };

			if (first == 0) {
				i++;
				continue;
			}
			++*map_put(&times, m->event[first].site, NULL);
			for (; i < list.n && x->blocks.of[list.at[i]] == first; i++)
				block_note(x, &k, list.at[i]);
			if (*map_get(&times, m->event[first].site) <= BLOCKS)
				block_pairs(x, &k);
		}
	}
	x->some = true;
	map_release(&times);
}

void atomicity_gather_pairs(struct atomicity *x)
{
	if (x->opt->all_pairs)
		gather_all(x);
	else
		gather_some(x);
}
