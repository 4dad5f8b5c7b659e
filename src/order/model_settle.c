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
	bool sorted = true;

	for (size_t i = 1; i < b->scratch.n; i++)
		sorted &= b->scratch.at[i - 1] < b->scratch.at[i];
	if (!sorted)
		b->scratch.n = sort_once(b->scratch.at, b->scratch.n);
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
			if (model_writes(e))
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

void model_settle_chains(struct model *m)
{
	struct model_lists *l = &m->priv->chains;

	lists_begin(l, m->nchains);
	for (uint32_t c = 0; c < m->nchains; c++)
		l->start[c + 1] = m->priv->build->chains.at[c].n;
	lists_open(l);
}

/*
 * Chains and locks in one look at the events, which are many and large.  lock_of gets, in the order
 * of the chains' lists, 1 + the lock of an acquire, or 0.
 */
static void chains_fill(struct model *m, uint32_t *lock_of)
{
	struct model_lists *chains = &m->priv->chains, *locks = &m->priv->lock_runs;

	lists_begin(locks, m->nlocks);
	for (uint32_t id = 1; id <= m->n; id++) {
		const struct model_event *e = &m->event[id];
		uint32_t at = chains->start[e->chain] + e->index;

		chains->at[at] = id;
		lock_of[at] = 0;
		if (e->op == STEP_ACQ || e->op == STEP_RACQ) {
			lock_of[at] = e->obj + 1;
			locks->start[e->obj + 1]++;
		}
	}
	lists_open(locks);
}

static void cells_list(struct model *m)
{
	struct model_lists *l = &m->priv->cells;
	uint32_t ntouches = m->event[m->n + 1].touch;

	lists_begin(l, m->ncells);
	for (uint32_t i = 0; i < ntouches; i++)
		l->start[m->touches[i].cell + 1]++;
	lists_open(l);
	for (uint32_t id = 1; id <= m->n && ntouches != 0; id++)
		for (uint32_t i = m->event[id].touch; i < m->event[id + 1].touch; i++)
			l->at[l->start[m->touches[i].cell]++] = id;
	lists_close(l);
}

/* A run as it was met. */
struct lock_run {
	uint32_t lock;
	struct model_run run;
};

/* Runs by lock; those of one lock stay in the order of their chains. */
static void runs_sort(struct model *m, const struct lock_run *runs, size_t n)
{
	struct model_priv *p = m->priv;

	p->run_start = mem_zalloc(((size_t)m->nlocks + 2) * sizeof(*p->run_start));
	VEC_RESERVE(&p->runs, n + 1);
	p->runs.n = n;
	SORT_BY_KEY(p->run_start, m->nlocks, i, n, runs[i].lock, p->runs.at[sort_at] = runs[i].run);
}

/* Chain after chain: each lock's list comes out sorted by chains. */
static void locks_list(struct model *m, const uint32_t *lock_of)
{
	const struct model_lists *chains = &m->priv->chains;
	struct model_lists *l = &m->priv->lock_runs;
	uint32_t *latest = mem_zalloc(((size_t)m->nlocks + 1) * sizeof(*latest)); /* 1 + chain */
	VEC(struct lock_run) runs = { 0 };

	for (uint32_t c = 0; c < m->nchains; c++) {
		for (uint32_t i = chains->start[c]; i < chains->start[c + 1]; i++) {
			uint32_t lock = lock_of[i] - 1;

			if (lock_of[i] == 0)
				continue;
			if (latest[lock] != c + 1) {
				latest[lock] = c + 1;
				*VEC_PUSH(&runs) = (struct lock_run){ lock, { c, l->start[lock] } };
			}
			l->at[l->start[lock]++] = chains->at[i];
		}
	}
	lists_close(l);
	runs_sort(m, runs.at, runs.n);
	VEC_RELEASE(&runs);
	mem_free(latest);
}

void model_settle_lists(struct model *m)
{
	uint32_t *lock_of = mem_alloc(((size_t)m->n + 1) * sizeof(*lock_of));

	chains_fill(m, lock_of);
	locks_list(m, lock_of);
	mem_free(lock_of);
	cells_list(m);
}
