/*
 * Patterns that are worth a search.
 *
 * Triples (p, r, c): p and c are accesses of a cell by one thread in one block, r is one of another
 * thread (Lu et al., ASPLOS 2006).
 *
 *	r writes	nothing of the block touches the cell between p and c; p or c reads
 *	r only reads	nothing of the block writes the cell between p and c, which both write
 *
 * Three blind writes are left out: whatever order, it is that of some run of the blocks alone.
 *
 * Out, too, are patterns whose r must run before p or after c, or that a lock keeps out which is
 * held from p to c; and those that forks, joins and channels alone bring about: a block that hands
 * its work to another thread and waits for it is meant to.
 *
 * Of the accesses of other threads those near the block are looked at, NEAR on each side and in
 * between; with all_pairs all.
 */
#include "predict/atomicity_priv.h"

#define NEAR 16u

/* ---- groups ---- */

static uint32_t span(const struct atomicity_tuple *t)
{
	uint32_t at[] = { t->a, t->b, t->d, t->c }, low = at[0], high = at[0];

	for (int i = 1; i < 4; i++) {
		low = at[i] < low ? at[i] : low;
		high = at[i] > high ? at[i] : high;
	}
	return high - low;
}

static uint64_t signature(const struct atomicity *x, const struct atomicity_tuple *t)
{
	const struct model_event *e = x->m->event;
	uint64_t places[4] = { e[t->a].site, e[t->b].site, e[t->c].site, e[t->d].site };

	if (x->opt->all_pairs)
		return hash_pair(hash_pair(t->a, t->b), hash_pair(t->d, t->c));
	return finding_signature_of(FINDING_ATOMICITY, places, t->b == t->d ? 3 : 4);
}

/* NULL: there is no room. */
static struct atomicity_group *group_of(struct atomicity *x, const struct atomicity_tuple *t)
{
	size_t most = x->opt->all_pairs ? LIMIT_TUPLES : LIMIT_SIGNATURES;
	uint64_t key = signature(x, t), *at;

	at = x->groups.n < most ? map_put(&x->index, key, NULL) : map_get(&x->index, key);
	if (!at) {
		x->full = true;
		return NULL;
	}
	if (*at == 0) {
		*VEC_PUSH(&x->groups) = (struct atomicity_group){ .complete = true,
								  .number = (uint32_t)x->groups.n };
		*at = x->groups.n;
	}
	return &x->groups.at[*at - 1];
}

/* The place of a tuple in its group; NULL: it has no place there. */
static struct atomicity_tuple *group_room(struct atomicity_group *g,
					  const struct atomicity_tuple *t)
{
	uint32_t worst = 0;

	if (g->n < LIMIT_TRIES)
		return &g->at[g->n];
	for (uint32_t i = 1; i < g->n; i++)
		if (span(&g->at[i]) > span(&g->at[worst]))
			worst = i;
	return span(t) < span(&g->at[worst]) ? &g->at[worst] : NULL;
}

static bool group_has(const struct atomicity_group *g, const struct atomicity_tuple *t)
{
	for (uint32_t i = 0; i < g->n; i++)
		if (memcmp(&g->at[i], t, sizeof(*t)) == 0)
			return true; /* by another cell */
	return false;
}

/* ---- what speaks against it ---- */

/* In every run e comes before `then', or is it. */
static bool is_before(const struct atomicity *x, const struct causal *c, uint32_t e, uint32_t then)
{
	const struct model_event *v = &x->m->event[e];
	uint32_t n;

	return !causal_count(c, then, v->chain, &n) || n > v->index;
}

/* The same before `then' is called, whatever it sees. */
static bool is_called_after(const struct atomicity *x, uint32_t e, uint32_t then)
{
	const struct model_event *v = &x->m->event[e];
	struct causal_known k;

	return !causal_known(x->must, then, &k) || causal_known_at(&k, v->chain) > v->index;
}

/* A lock that a thread holds from its event a to its event c keeps e out. */
static bool is_kept_out(const struct atomicity *x, uint32_t a, uint32_t c, uint32_t e)
{
	const struct model *m = x->m;

	for (uint32_t h = m->event[a].hold; h; h = m->holds[h].next) {
		uint32_t release = m->event[m->holds[h].acquire].partner;

		if ((release && release < c) || m->is_loose[m->holds[h].lock])
			continue;
		if (model_hold_find(m, m->event[e].hold, m->holds[h].lock, m->holds[h].shared))
			return true;
	}
	return false;
}

/*
 * Locks speak against it.  S, and triples: b and d come between a and c.  X: where d may not, it
 * comes before a, and a between d and b; where b may not, c comes between these.
 */
static bool is_locked(const struct atomicity *x, const struct atomicity_tuple *t)
{
	bool b_out = is_kept_out(x, t->a, t->c, t->b), d_out = is_kept_out(x, t->a, t->c, t->d);

	if (!atomicity_is_cross(x->m, t))
		return b_out || d_out;
	return (d_out && is_kept_out(x, t->d, t->b, t->a)) ||
	       (b_out && is_kept_out(x, t->d, t->b, t->c));
}

static bool is_possible(const struct atomicity *x, const struct atomicity_tuple *t)
{
	if (is_before(x, x->must, t->b, t->a) || is_called_after(x, t->c, t->d))
		return false;
	if (is_locked(x, t))
		return false;
	return !(is_before(x, x->hard, t->a, t->b) && is_before(x, x->hard, t->d, t->c));
}

void atomicity_add(struct atomicity *x, const struct atomicity_tuple *t)
{
	struct atomicity_group *g;
	struct atomicity_tuple *room;

	if (x->opt->all_pairs && !is_possible(x, t))
		return;
	g = group_of(x, t);
	if (!g || group_has(g, t))
		return;
	room = group_room(g, t);
	if (!x->opt->all_pairs && room && !is_possible(x, t))
		return;
	g->complete &= room == &g->at[g->n];
	if (!room)
		return;
	g->score = t->score > g->score ? t->score : g->score;
	g->n += room == &g->at[g->n];
	*room = *t;
}

/* ---- triples ---- */

/* The accesses of one cell, and where a block of a chain touched it last. */
struct cell {
	struct model_list list;
	uint32_t *access, *write; /* by chain: 1 + index in the list; 0 none */
};

void atomicity_add_gap(struct atomicity *x, struct model_list cell, uint32_t p, uint32_t c,
		       bool writes, const struct atomicity_tuple *like)
{
	const struct model *m = x->m;
	uint32_t near = x->opt->all_pairs ? cell.n : NEAR;
	uint32_t from = p > near ? p - near : 0;
	uint32_t to = cell.n - c > near ? c + near + 1 : cell.n;

	x->some |= from > 0 || to < cell.n || c - p > 2 * near;
	for (uint32_t i = from; i < to; i++) {
		uint32_t r = cell.at[i];
		const struct model_event *v = &m->event[r];
		struct atomicity_tuple t = {
			cell.at[p], r, r, cell.at[c], like->block, like->score
		};

		if (i == p + near && c - p > 2 * near)
			i = c - near; /* it goes on behind that */
		if (v->chain == m->event[t.c].chain || (v->flags & STEP_SHADOW) ||
		    model_writes(v) != writes)
			continue;
		atomicity_add(x, &t);
	}
}

/* ... of a marked block. */
static void add_gap(struct atomicity *x, const struct cell *k, uint32_t p, uint32_t c, bool writes)
{
	static const struct atomicity_tuple marked = { .block = FINDING_BLOCK_MARKED,
						       .score = ATOMICITY_MARKED };

	atomicity_add_gap(x, k->list, p, c, writes, &marked);
}

static void cell_access(struct atomicity *x, struct cell *k, uint32_t i)
{
	const struct model *m = x->m;
	uint32_t e = k->list.at[i], block = x->blocks.of[e];
	const struct model_event *v = &m->event[e];
	uint32_t *access = &k->access[v->chain], *write = &k->write[v->chain];

	if (block == 0 || (v->flags & STEP_SHADOW))
		return;
	if (*access && x->blocks.of[k->list.at[*access - 1]] != block)
		*access = 0;
	if (*write && x->blocks.of[k->list.at[*write - 1]] != block)
		*write = 0;
	if (*access && (model_reads(v) || model_reads(&m->event[k->list.at[*access - 1]])))
		add_gap(x, k, *access - 1, i, true);
	if (*write && model_writes(v))
		add_gap(x, k, *write - 1, i, false);
	*access = i + 1;
	if (model_writes(v))
		*write = i + 1;
}

/* Memory: several chains touch it, and one of them writes. */
static bool is_shared(const struct model *m, struct model_list list)
{
	bool several = false, writes = false;

	for (uint32_t i = 0; i < list.n && !(several && writes); i++) {
		const struct model_event *v = &m->event[list.at[i]];

		if (v->flags & (STEP_USES | STEP_RENEWS))
			return false; /* the life of an object */
		several |= v->chain != m->event[list.at[0]].chain;
		writes |= model_writes(v);
	}
	return several && writes;
}

static void gather_triples(struct atomicity *x)
{
	const struct model *m = x->m;
	struct cell k = { .access = mem_zalloc((m->nchains + 1) * sizeof(*k.access)),
			  .write = mem_zalloc((m->nchains + 1) * sizeof(*k.write)) };

	x->is_shared = mem_zalloc((size_t)m->ncells + 1);
	for (uint32_t cell = 0; cell < m->ncells && !engine_stopped(x->opt); cell++) {
		k.list = model_cell(m, cell);
		x->is_shared[cell] = is_shared(m, k.list);
		if (!x->is_shared[cell] || x->blocks.n == 0)
			continue;
		for (uint32_t i = 0; i < k.list.n; i++)
			cell_access(x, &k, i);
		for (uint32_t i = 0; i < k.list.n; i++) {
			uint32_t chain = m->event[k.list.at[i]].chain;

			k.access[chain] = k.write[chain] = 0;
		}
	}
	MEM_FREE_ALL(k.access, k.write);
}

void atomicity_gather(struct atomicity *x)
{
	gather_triples(x);
	if (x->engine != &engine_triples && x->blocks.n > 0)
		atomicity_gather_pairs(x);
	if (x->opt->infer && x->opt->calls)
		infer_gather(x);
}
