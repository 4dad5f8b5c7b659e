/*
 * What the whole run decides: the final cells of each access, what each saw, and the lists.
 *
 * A split takes bytes from a cell together with its past.  So a touch of cell c stands for c and
 * for everything that was split from it later, and from those in turn:
 *
 *	write c          touches c, d and e
 *	split c -> d
 *	read c           touches c and e
 *	split c -> e
 *
 * The reference model is to expand each touch and to replay the writes; that is also the code.
 */
#include "order/model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "order/model_priv.h"

/* Appends cell and all that was split from it after touch number `when'.  A split takes the upper
 * bytes, and the newest comes first in the list: so they come in the order of their bytes. */
static void expand(struct model_build *b, uint32_t cell, uint32_t when)
{
	uint32_t split = cell < b->split_of.n ? b->split_of.at[cell] : 0;

	*VEC_PUSH(&b->scratch) = cell;
	for (; split != 0; split = b->splits.at[split - 1].next)
		if (b->splits.at[split - 1].when > when)
			expand(b, b->splits.at[split - 1].other, when);
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void model_expand(struct model *m, uint32_t first, uint32_t last)
{
	struct model_build *b = m->priv->build;

	VEC_CLEAR(&b->scratch);
	for (uint32_t i = first; i < last; i++)
		expand(b, b->cells.at[i], i);
}

/* The cells in scratch, ascending and each once. */
static void scratch_sort(struct model_build *b)
{
	size_t n = 1;
	bool sorted = true;

	for (size_t i = 1; i < b->scratch.n; i++)
		sorted &= b->scratch.at[i - 1] < b->scratch.at[i];
	if (sorted)
		return;
	qsort(b->scratch.at, b->scratch.n, sizeof(uint32_t), compare);
	for (size_t i = 1; i < b->scratch.n; i++)
		if (b->scratch.at[i] != b->scratch.at[n - 1])
			b->scratch.at[n++] = b->scratch.at[i];
	b->scratch.n = n;
}

static bool writes(const struct model_event *e)
{
	return e->op == STEP_WRITE || e->op == STEP_RMW || e->op == STEP_FREE;
}

void model_settle_touches(struct model *m)
{
	struct model_build *b = m->priv->build;
	uint32_t *latest = mem_zalloc((size_t)m->ncells * sizeof(*latest));
	VEC(struct model_touch) out = { 0 };

	VEC_RESERVE(&out, b->cells.n);
	for (uint32_t id = 1; id <= m->n; id++) {
		struct model_event *e = &m->event[id];
		uint32_t first = e->touch, last = e[1].touch;

		e->touch = (uint32_t)out.n;
		model_expand(m, first, last);
		scratch_sort(b);
		assert(out.n + b->scratch.n < UINT32_MAX);
		for (size_t i = 0; i < b->scratch.n; i++) {
			uint32_t cell = b->scratch.at[i];

			*VEC_PUSH(&out) = (struct model_touch){ cell, latest[cell] };
			if (writes(e))
				latest[cell] = id;
		}
	}
	m->event[m->n + 1].touch = (uint32_t)out.n;
	m->touches = mem_resize(out.at, (out.n + 1) * sizeof(*out.at));
	mem_free(latest);
}

/* Room for lists whose lengths are counted in start[i + 1]; start becomes where to put the next
 * item of a list, and lists_close makes it what the struct says. */
static void lists_open(struct model_lists *l)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i <= l->n; i++) {
		sum += l->start[i];
		l->start[i] = sum;
	}
	l->at = mem_alloc(((size_t)sum + 1) * sizeof(*l->at));
}

static void lists_begin(struct model_lists *l, uint32_t n)
{
	l->n = n;
	l->start = mem_zalloc(((size_t)n + 2) * sizeof(*l->start));
}

/* Filling has moved every start to the start of the next list. */
static void lists_close(struct model_lists *l)
{
	memmove(l->start + 1, l->start, l->n * sizeof(*l->start));
	l->start[0] = 0;
}

static void chains_list(struct model *m)
{
	struct model_lists *l = &m->priv->chains;

	lists_begin(l, m->nchains);
	for (uint32_t id = 1; id <= m->n; id++)
		l->start[m->event[id].chain + 1]++;
	lists_open(l);
	for (uint32_t id = 1; id <= m->n; id++)
		l->at[l->start[m->event[id].chain]++] = id;
	lists_close(l);
}

static void cells_list(struct model *m)
{
	struct model_lists *l = &m->priv->cells;
	uint32_t ntouches = m->event[m->n + 1].touch;

	lists_begin(l, m->ncells);
	for (uint32_t i = 0; i < ntouches; i++)
		l->start[m->touches[i].cell + 1]++;
	lists_open(l);
	for (uint32_t id = 1; id <= m->n; id++)
		for (uint32_t i = m->event[id].touch; i < m->event[id + 1].touch; i++)
			l->at[l->start[m->touches[i].cell]++] = id;
	lists_close(l);
}

static bool acquires(const struct model_event *e)
{
	return e->op == STEP_ACQ || e->op == STEP_RACQ;
}

static void locks_list(struct model *m)
{
	struct model_lists *l = &m->priv->lock_runs;

	lists_begin(l, m->nlocks);
	for (uint32_t id = 1; id <= m->n; id++)
		if (acquires(&m->event[id]))
			l->start[m->event[id].obj + 1]++;
	lists_open(l);
	/* Chain after chain: each lock's list comes out sorted by chains. */
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t id = m->priv->chains.at[i];

		if (acquires(&m->event[id]))
			l->at[l->start[m->event[id].obj]++] = id;
	}
	lists_close(l);
}

static void runs_list(struct model *m)
{
	struct model_priv *p = m->priv;

	p->run_start = mem_alloc(((size_t)m->nlocks + 1) * sizeof(*p->run_start));
	for (uint32_t lock = 0; lock < m->nlocks; lock++) {
		uint32_t first = p->lock_runs.start[lock];

		p->run_start[lock] = (uint32_t)p->runs.n;
		for (uint32_t i = first; i < p->lock_runs.start[lock + 1]; i++) {
			uint32_t chain = m->event[p->lock_runs.at[i]].chain;

			if (i == first || m->event[p->lock_runs.at[i - 1]].chain != chain)
				*VEC_PUSH(&p->runs) = (struct model_run){ chain, i };
		}
	}
	p->run_start[m->nlocks] = (uint32_t)p->runs.n;
}

void model_settle_lists(struct model *m)
{
	chains_list(m);
	cells_list(m);
	locks_list(m);
	runs_list(m);
}
