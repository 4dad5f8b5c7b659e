/*
 * The successors of a level: workers, pieces and batches.
 *
 * Pieces are independent: workers take one each, and they are put together in order.
 */
#include "lattice/lattice_priv.h"

#include "base/pool.h"

#define PARALLEL 32768 /* entries of a level worth several workers */
#define BATCH 16       /* pieces for each worker at a time */
#define OPENS_VIEWS 6  /* open sets are worth remembering from so many lanes on */

struct expand *expand_new(unsigned jobs)
{
	struct expand *e = mem_zalloc(sizeof(*e));

	e->jobs = jobs < 1 ? 1 : jobs > CONFIG_WORKERS ? CONFIG_WORKERS : jobs;
	e->workers = mem_zalloc(e->jobs * sizeof(*e->workers));
	return e;
}

void expand_free(struct expand *e)
{
	for (unsigned i = 0; i < e->jobs; i++) {
		struct worker *w = &e->workers[i];

		for (int k = 0; k < 2; k++) {
			VEC_RELEASE_ALL(&w->areas[k].keys, &w->areas[k].counts,
					&w->areas[k].configs);
		}
		MEM_FREE_ALL(w->memo, w->opens);
		VEC_RELEASE_ALL(&w->parts, &w->top);
	}
	MEM_FREE_ALL(e->workers, e->alive, e);
}

void expand_forget(struct expand *e)
{
	for (unsigned i = 0; i < e->jobs; i++) {
		mem_free(e->workers[i].memo);
		e->workers[i].memo = NULL;
	}
}

static void level_append(struct level *v, const struct entries *r, bool configs)
{
	uint32_t words = v->packing->words;

	if (!r->n)
		return;
	level_reserve(v, v->n + r->n, configs);
	memcpy(v->keys + v->n * words, r->keys, r->n * words * sizeof(*r->keys));
	if (configs)
		memcpy(v->configs + v->n, r->configs, r->n * sizeof(*r->configs));
	if (v->limbs)
		memcpy(v->counts + v->n * v->limbs, r->counts,
		       r->n * v->limbs * sizeof(*r->counts));
	v->n += r->n;
}

static void work(void *arg, size_t i, unsigned worker)
{
	struct expand *e = arg;
	struct entries r = expand_piece(e, &e->workers[worker], e->first + i);

	e->results[i] = (struct level){ .packing = e->l->packing, .limbs = e->l->level.limbs };
	level_append(&e->results[i], &r, e->l->level.configs != NULL);
}

static bool parallel_batch(struct expand *e, unsigned jobs)
{
	struct lattice *l = e->l;
	size_t n = e->npieces - e->first;

	if (n > (size_t)jobs * BATCH)
		n = (size_t)jobs * BATCH;
	e->results = mem_zalloc(n * sizeof(*e->results));
	pool_run(jobs, n, work, e);
	for (size_t i = 0; i < n; i++) {
		struct level *v = &e->results[i];
		struct entries r = { v->keys, v->counts, v->configs, v->n };

		level_append(&l->next, &r, l->level.configs != NULL);
		level_release(v);
	}
	mem_free(e->results);
	e->first += n;
	return e->first < e->npieces;
}

static bool next_batch(struct expand *e)
{
	struct entries r;

	if (e->jobs > 1 && e->l->level.n >= PARALLEL)
		return parallel_batch(e, e->jobs);
	r = expand_piece(e, &e->workers[0], e->first);
	level_append(&e->l->next, &r, e->l->level.configs != NULL);
	return ++e->first < e->npieces;
}

/* --- a level --- */

static void begin(struct expand *e, struct lattice *l)
{
	struct level *next = &l->next;

	e->l = l;
	e->first = 0;
	e->npieces = l->level.n / PIECE + (l->level.n % PIECE != 0);
	for (unsigned i = 0; i < e->jobs; i++) {
		struct worker *w = &e->workers[i];

		VEC_REACH(&w->top, l->packing->nactive);
		memset(w->top.at, 0, w->top.n * sizeof(*w->top.at));
		w->edges = 0;
		w->wait = 0;
		w->round++;
		if (!w->opens && l->views.n >= OPENS_VIEWS)
			w->opens = mem_zalloc(OPENS * sizeof(*w->opens));
		if (l->opt.configs)
			expand_memo_ready(w);
	}
	e->track = l->lanes.any_sets || l->lanes.odd_needs;
	if (e->track)
		e->alive = memset(mem_resize(e->alive, l->level.n), 0, l->level.n);
	next->number = l->level.number + 1;
	next->packing = l->packing;
	next->n = next->cuts = 0;
	next->limbs = l->level.limbs;
	level_reserve(next, l->level.n, l->level.configs != NULL);
}

static uint64_t count_dead(const struct expand *e)
{
	const struct level *v = &e->l->level;
	uint64_t dead = 0;

	if (!e->track)
		return e->l->next.n ? 0 : v->cuts;
	for (size_t i = 0; i < v->n; i++)
		dead += !e->alive[i] && (i == 0 || !level_same_cut(v, i - 1, i));
	return dead;
}

static void finish_level(struct lattice *l)
{
	struct level *v = &l->next;

	v->cuts = v->n;
	for (size_t i = 1; v->configs && i < v->n; i++)
		v->cuts -= level_same_cut(v, i - 1, i);
	v->most = 0;
	for (size_t i = 0; v->limbs && i < v->n; i++) {
		uint64_t c = v->counts[(i + 1) * v->limbs - 1];

		v->most = c > v->most ? c : v->most;
	}
}

/* Before l->top becomes the next level's. */
static void note_passed(struct lattice *l)
{
	VEC_REACH(&l->passed, l->top.n);
	for (size_t i = 0; i < l->top.n; i++)
		if (l->passed.at[i] < l->top.at[i])
			l->passed.at[i] = l->top.at[i];
}

enum expand_result expand_level(struct lattice *l, size_t limit, bool wait, uint64_t *edges,
				uint64_t *dead, uint32_t *wait_set)
{
	struct expand *e = l->expand;

	begin(e, l);
	for (bool more = e->npieces > 0; more;) {
		more = next_batch(e);
		for (unsigned i = 0; i < e->jobs; i++)
			if (e->workers[i].wait && wait) {
				*wait_set = e->workers[i].wait;
				return EXPAND_WAIT;
			}
		if (l->level.n + l->next.n > limit)
			return EXPAND_MEMORY;
		if (l->opt.stop && *l->opt.stop)
			return EXPAND_STOP;
	}
	if (l->next.n)
		note_passed(l);
	for (unsigned i = 0; i < e->jobs; i++) {
		*edges += e->workers[i].edges;
		for (uint32_t k = 0; k < l->packing->nactive; k++) {
			uint32_t lane = l->packing->active[k];
			uint32_t count = l->packing->by_lane[lane].base + e->workers[i].top.at[k];

			l->top.at[lane] = l->top.at[lane] < count ? count : l->top.at[lane];
		}
	}
	finish_level(l);
	*dead += count_dead(e);
	return EXPAND_OK;
}
