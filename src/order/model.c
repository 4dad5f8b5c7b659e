/*
 * A model's life, and the questions that are not a mere look into an array.
 */
#include "order/model.h"

#include "order/model_priv.h"

struct model *model_new(const struct model_options *opt)
{
	struct model *m = mem_zalloc(sizeof(*m));
	struct model_build *b = mem_zalloc(sizeof(*b));

	m->priv = mem_zalloc(sizeof(*m->priv));
	m->priv->build = b;
	m->has_values = opt->values;
	m->stop = opt->stop;
	b->limit = opt->limit != 0 && opt->limit < UINT32_MAX - 16 ? opt->limit : UINT32_MAX - 16;
	*VEC_PUSH(&b->events) = (struct model_event){ 0 };
	*VEC_PUSH(&b->holds) = (struct model_hold){ 0 };
	*VEC_PUSH(&m->priv->sets) = (struct model_set){ 0 };
	VEC_REACH(&m->priv->set_keys, 0);
	return m;
}

/* Takes the array of a vec, without the room it does not use. */
#define TAKE(into, v)                                                          \
	do {                                                                   \
		(into) = mem_resize((v)->at, ((v)->n + 1) * sizeof(*(v)->at)); \
		(v)->at = NULL;                                                \
	} while (0)

void model_finish(struct model *m)
{
	struct model_priv *p = m->priv;
	struct model_build *b = p->build;
	bool is_cut;

	assert(b != NULL);
	is_cut = b->full;
	model_sems_to_locks(m);
	*VEC_PUSH(&b->events) =
		(struct model_event){ .touch = (uint32_t)b->cells.n, .feed = (uint32_t)b->feeds.n };
	*VEC_PUSH(&p->edges) =
		(struct model_edges){ m->n + 1, (uint32_t)p->preds.n, (uint32_t)p->preds.n };
	m->nchains = (uint32_t)b->chains.n;
	m->nholds = (uint32_t)b->holds.n;
	m->nguards = (uint32_t)b->guards.n;
	TAKE(m->event, &b->events);
	TAKE(m->feeds, &b->feeds);
	TAKE(m->holds, &b->holds);
	TAKE(m->guards, &b->guards);
	VEC_REACH(&b->loose, m->nlocks);
	TAKE(m->is_loose, &b->loose);
	if (m->has_values)
		model_settle_stretches(m);
	model_settle_touches(m);
	model_settle_tests(m);
	VEC_REACH(&p->last_hold, b->threads.n);
	for (size_t i = 0; i < b->threads.n; i++)
		p->last_hold.at[i] = b->threads.at[i].hold;
	model_settle_chains(m);
	model_settle_sems(m);
	model_build_free(b);
	p->build = NULL;
	model_settle_lists(m);
	model_settle_sem_runs(m);
	model_settle_counts(m);
	model_settle_stays(m, is_cut);
}

void model_free(struct model *m)
{
	struct model_priv *p;

	if (!m)
		return;
	p = m->priv;
	model_build_free(p->build);
	VEC_RELEASE_ALL(&p->sems, &p->sem_runs, &p->runs, &p->edges, &p->preds, &p->stays,
			&p->stay_start, &p->counted_edges, &p->counted, &p->sets, &p->set_keys,
			&p->set_one, &p->set_missing, &p->last_hold, &p->values, &p->bytes);
	MAP_RELEASE_ALL(&p->set_step, &p->set_hash);
	MEM_FREE_ALL(p->chains.start, p->chains.at, p->cells.start, p->cells.at, p->lock_runs.start,
		     p->lock_runs.at, p->run_start, p->set_of, p->stretches, p->sem_events,
		     p->sem_counts, p);
	mem_free((void *)(uintptr_t)m->tests.at);
	MEM_FREE_ALL(m->event, m->touches, m->feeds, m->holds, m->guards, m->is_loose, m);
}

static struct model_list list(const struct model_lists *l, uint32_t i)
{
	if (i >= l->n)
		return (struct model_list){ NULL, 0 };
	return (struct model_list){ l->at + l->start[i], l->start[i + 1] - l->start[i] };
}

struct model_list model_chain(const struct model *m, uint32_t chain)
{
	return list(&m->priv->chains, chain);
}

struct model_list model_cell(const struct model *m, uint32_t cell)
{
	return list(&m->priv->cells, cell);
}

uint32_t model_lock_nchains(const struct model *m, uint32_t lock)
{
	const struct model_priv *p = m->priv;

	return lock < p->lock_runs.n ? p->run_start[lock + 1] - p->run_start[lock] : 0;
}

struct model_list model_lock_nth(const struct model *m, uint32_t lock, uint32_t i, uint32_t *chain)
{
	const struct model_priv *p = m->priv;
	uint32_t at = p->run_start[lock] + i, end = p->run_start[lock + 1];
	uint32_t first = p->runs.at[at].first;

	assert(at < end);
	*chain = p->runs.at[at].chain;
	return (struct model_list){
		p->lock_runs.at + first,
		(at + 1 < end ? p->runs.at[at + 1].first : p->lock_runs.start[lock + 1]) - first
	};
}

struct model_list model_lock_chain(const struct model *m, uint32_t lock, uint32_t chain)
{
	const struct model_priv *p = m->priv;
	uint32_t run, end, found;

	if (list(&p->lock_runs, lock).n == 0)
		return (struct model_list){ NULL, 0 };
	end = p->run_start[lock + 1];
	run = SEARCH_PAST(i, p->run_start[lock], end, p->runs.at[i].chain < chain);
	if (run == end || p->runs.at[run].chain != chain)
		return (struct model_list){ NULL, 0 };
	return model_lock_nth(m, lock, run - p->run_start[lock], &found);
}

/* The row of e; NULL: there is none. */
static const struct model_edges *edges_of(const struct model_edges *at, size_t n, uint32_t e)
{
	size_t k = SEARCH_PAST(i, 0, n, at[i].event < e);

	return k < n && at[k].event == e ? &at[k] : NULL;
}

/* Those who wait may have got what they need from others. */
static bool has_choice(const struct model_event *e)
{
	return e->op == STEP_TAKE || e->op == STEP_ZERO || e->op == STEP_BUSY;
}

struct model_list model_preds(const struct model *m, uint32_t e)
{
	const struct model_priv *p = m->priv;
	const struct model_edges *row;

	if (!(m->event[e].flags & MODEL_HAS_PREDS))
		return (struct model_list){ NULL, 0 };
	row = edges_of(p->edges.at, p->edges.n, e);
	assert(row);
	return (struct model_list){ p->preds.at + row->first, row->paired - row->first };
}

struct model_list model_pairs(const struct model *m, uint32_t e)
{
	const struct model_priv *p = m->priv;
	const struct model_edges *row;

	if (!(m->event[e].flags & MODEL_HAS_PREDS) || !has_choice(&m->event[e]))
		return (struct model_list){ NULL, 0 };
	row = edges_of(p->edges.at, p->edges.n, e);
	assert(row);
	return (struct model_list){ p->preds.at + row->paired, row[1].first - row->paired };
}

struct model_list model_counted(const struct model *m, uint32_t e)
{
	const struct model_priv *p = m->priv;
	const struct model_edges *row = NULL;

	if (has_choice(&m->event[e]))
		row = edges_of(p->counted_edges.at, p->counted_edges.n, e);
	if (!row)
		return (struct model_list){ NULL, 0 };
	return (struct model_list){ p->counted.at + row->first, row[1].first - row->first };
}

/* Where the cell is among the touches [low, high), or of the first one above it. */
static uint32_t touch_find(const struct model *m, uint32_t low, uint32_t high, uint32_t cell)
{
	return SEARCH_PAST(i, low, high, m->touches[i].cell < cell);
}

bool model_touches(const struct model *m, uint32_t e, uint32_t cell)
{
	uint32_t end = m->event[e + 1].touch;
	uint32_t at = touch_find(m, m->event[e].touch, end, cell);

	return at < end && m->touches[at].cell == cell;
}

/* A cell both touch.  Touches are sorted: look for those of the shorter list in the longer. */
static bool cell_shared(const struct model *m, uint32_t a, uint32_t b, uint32_t *cell)
{
	uint32_t swap = model_ntouches(m, a) > model_ntouches(m, b) ? b ^ a : 0;
	const struct model_event *few = &m->event[a ^ swap], *many = &m->event[b ^ swap];
	uint32_t at = many->touch, end = many[1].touch;

	for (uint32_t i = few->touch; i < few[1].touch; i++) {
		*cell = m->touches[i].cell;
		at = touch_find(m, at, end, *cell);
		if (at < end && m->touches[at].cell == *cell)
			return true;
	}
	return false;
}

bool model_shares_cell(const struct model *m, uint32_t a, uint32_t b)
{
	uint32_t cell;

	return cell_shared(m, a, b, &cell);
}

bool model_conflict(const struct model *m, uint32_t a, uint32_t b)
{
	const struct model_event *x = &m->event[a], *y = &m->event[b];
	uint32_t cell;

	return model_is_target(x) && model_is_target(y) && x->chain != y->chain &&
	       (model_writes(x) || model_writes(y)) &&
	       !(model_is_atomic(x) && model_is_atomic(y)) && cell_shared(m, a, b, &cell);
}

uint32_t model_common_cell(const struct model *m, uint32_t a, uint32_t b)
{
	uint32_t cell = 0;
	bool shared = cell_shared(m, a, b, &cell);

	assert(shared);
	return cell;
}
