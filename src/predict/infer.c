/*
 * Blocks that nobody has marked: what a thread does that looks as if it were meant to be atomic.
 *
 *	split	lock; if (x) ...; unlock;  ...  lock; x = ...; unlock;		70
 *	check	if (x) ...;  ...  lock; x = ...; unlock;			60
 *	reread	lock; x = ...; unlock;  ...  lock; ... x ...; unlock;		45
 *	sections	lock; ... x ...; unlock;  ...  the same once more, or x = ... twice	40
 *	pair	lock; x; unlock;  ...  lock; y; unlock;	(infer_pairs.c)		40
 *
 * with 10 more where what is written is made of what was read.  A second look at x, in the section that
 * writes it, takes it back, if something depends on it: double-checked locking is right.  A read that
 * only feeds the write (x--) is no look.
 *
 * Two accesses that lie in marked blocks are no guess: of these the program says itself what belongs together.
 *
 * 30 are taken off where the way from the first to the second place leads over the end of a loop: workers
 * and pollers do that, and mean each round for itself.  No block reaches over a condition wait, a join or
 * a take of what others have given.
 *
 * Guesses are wrong often; what counts is that a pattern of theirs is found, and certified.
 */
#include "predict/atomicity_priv.h"

#define LOOKS 64u   /* free reads of the section of a write that are passed over */
#define ROUNDS 256u /* of the guesses with the same two places, so many are looked at */

/* A semaphore that is used as a mutex is a loose lock (order/model_sem.c); its takes are takes all the same. */
static bool is_wait(const struct model *m, const struct model_event *v)
{
	return v->op == STEP_PARK || v->op == STEP_JOIN || v->op == STEP_GET ||
	       v->op == STEP_TAKE || (v->op == STEP_ACQ && m->is_loose[v->obj]);
}

bool infer_waits(const struct model *m, uint32_t a, uint32_t b)
{
	struct model_list list = model_chain(m, m->event[a].chain);

	for (uint32_t i = m->event[a].index; i <= m->event[b].index; i++)
		if (is_wait(m, &m->event[list.at[i]]))
			return true;
	return false;
}

bool infer_is_marked(const struct atomicity *x, uint32_t a, uint32_t c)
{
	return x->blocks.of[a] != 0 && x->blocks.of[c] != 0;
}

uint32_t infer_outermost(const struct model *m, uint32_t e)
{
	uint32_t h = m->event[e].hold;

	while (m->holds[h].next)
		h = m->holds[h].next;
	return m->holds[h].acquire;
}

/* ---- one cell ---- */

struct guess {
	struct atomicity *x;
	struct model_list list; /* accesses of the cell */
	VEC(uint32_t) before; /* by place in the list: 1 + that of the same chain before; 0 none */
	VEC(uint32_t) wrote;  /* by place: the same of the write before */
	uint32_t *last;	      /* by chain: the same of the last so far */
	uint32_t *last_write;
	struct map rounds; /* two places, to guesses */
};

bool infer_is_one_section(const struct model *m, uint32_t a, uint32_t b)
{
	for (uint32_t h = m->event[a].hold; h; h = m->holds[h].next)
		for (uint32_t k = m->event[b].hold; k; k = m->holds[k].next)
			if (m->holds[h].acquire == m->holds[k].acquire)
				return true;
	return false;
}

/* Both hold sections of one lock: their acquires.  The outermost such. */
static bool is_one_lock(const struct model *m, uint32_t a, uint32_t b, uint32_t *from, uint32_t *to)
{
	bool found = false;

	for (uint32_t h = m->event[a].hold; h; h = m->holds[h].next)
		for (uint32_t k = m->event[b].hold; k; k = m->holds[k].next)
			if (m->holds[h].lock == m->holds[k].lock) {
				*from = m->holds[h].acquire;
				*to = m->holds[k].acquire;
				found = true;
			}
	return found;
}

static bool is_fed(const struct model *m, uint32_t write, uint32_t read)
{
	for (uint32_t i = m->event[write].feed; i < m->event[write + 1].feed; i++)
		if (m->feeds[i] == read)
			return true;
	return false;
}

/* The guess is worth that, less what a loop takes off; from .. to is where that is looked at. */
static void guess_add(struct guess *g, uint32_t p, uint32_t c, enum finding_block block,
		      uint32_t score, uint32_t from, uint32_t to)
{
	struct atomicity *x = g->x;
	const struct model_event *e = x->m->event;
	uint32_t a = g->list.at[p], b = g->list.at[c];
	struct atomicity_tuple like = { .block = (uint16_t)block };
	uint64_t *rounds = map_put(&g->rounds, (uint64_t)e[a].site << 32 | e[b].site, NULL);

	if (++*rounds > ROUNDS) {
		x->some = true;
		return;
	}
	if (infer_waits(x->m, a, b) || infer_is_marked(x, a, b))
		return;
	score -= calls_loop(x->opt->calls, x->m, from, to) ? 30 : 0;
	if (score < ATOMICITY_SCORE && !x->opt->all_blocks)
		return;
	like.score = (uint16_t)score;
	atomicity_add_gap(x, g->list, p, c, !model_writes(&e[a]) || model_reads(&e[b]), &like);
}

/* The write at place i, and the last look at the cell before. */
static void write_guess(struct guess *g, uint32_t i)
{
	const struct model *m = g->x->m;
	uint32_t c = g->list.at[i], next = i, p = g->before.at[i], from, to, more, e = 0;

	for (uint32_t n = 0; p && n < LOOKS; n++, p = g->before.at[p - 1]) {
		const struct model_event *v;

		e = g->list.at[p - 1];
		v = &m->event[e];
		if (v->tid != m->event[c].tid || model_writes(v))
			return;
		if (v->flags & STEP_SHADOW)
			continue;
		if (!(v->flags & STEP_FREE_READ) || !infer_is_one_section(m, e, c))
			break;
		next = p - 1;
	}
	if (!p || infer_is_one_section(m, e, c) || (m->event[e].flags & STEP_SHADOW))
		return;
	more = is_fed(m, c, e) ? 10 : 0;
	if (is_one_lock(m, e, c, &from, &to))
		guess_add(g, p - 1, next, FINDING_BLOCK_SPLIT, 70 + more, from, to);
	else if (m->event[e].hold == 0)
		guess_add(g, p - 1, next, FINDING_BLOCK_CHECK, 60 + more, e, infer_outermost(m, c));
}

/* Place i and an earlier one, 1 + place, of the same thread, in two sections of a lock. */
static void sections_guess(struct guess *g, uint32_t i, uint32_t p, enum finding_block block,
			   uint32_t score)
{
	const struct model *m = g->x->m;
	uint32_t c = g->list.at[i], e = p ? g->list.at[p - 1] : 0, from, to;

	if (p && !((m->event[c].flags | m->event[e].flags) & STEP_SHADOW) &&
	    m->event[e].tid == m->event[c].tid && !infer_is_one_section(m, e, c) &&
	    is_one_lock(m, e, c, &from, &to))
		guess_add(g, p - 1, i, block, score, from, to);
}

/* The read at place i, and the thread's own write, or read, before. */
static void read_guess(struct guess *g, uint32_t i)
{
	uint32_t p = g->before.at[i];

	if (p && model_writes(&g->x->m->event[g->list.at[p - 1]]))
		sections_guess(g, i, p, FINDING_BLOCK_REREAD, 45);
	else if (g->x->m->event[g->list.at[i]].op == STEP_READ)
		sections_guess(g, i, p, FINDING_BLOCK_SECTIONS, 40);
}

static void cell_guess(struct guess *g)
{
	const struct model *m = g->x->m;

	VEC_CLEAR(&g->before);
	VEC_CLEAR(&g->wrote);
	for (uint32_t i = 0; i < g->list.n; i++) {
		const struct model_event *v = &m->event[g->list.at[i]];

		*VEC_PUSH(&g->before) = g->last[v->chain];
		*VEC_PUSH(&g->wrote) = g->last_write[v->chain];
		g->last[v->chain] = i + 1;
		if (model_writes(v))
			g->last_write[v->chain] = i + 1;
	}
	for (uint32_t i = 0; i < g->list.n; i++) {
		const struct model_event *v = &m->event[g->list.at[i]];

		g->last[v->chain] = g->last_write[v->chain] = 0;
		if (v->hold == 0)
			continue;
		if (v->op == STEP_WRITE)
			write_guess(g, i);
		if (v->op == STEP_WRITE && g->x->opt->all_blocks)
			sections_guess(g, i, g->wrote.at[i], FINDING_BLOCK_SECTIONS, 40);
		else if (model_reads(v) && g->x->opt->all_blocks)
			read_guess(g, i);
	}
}

void infer_gather(struct atomicity *x)
{
	size_t size = (x->m->nchains + 1) * sizeof(uint32_t);
	struct guess g = { .x = x, .last = mem_zalloc(size), .last_write = mem_zalloc(size) };

	for (uint32_t cell = 0; cell < x->m->ncells && !engine_stopped(x->opt); cell++) {
		if (!x->is_shared[cell])
			continue;
		g.list = model_cell(x->m, cell);
		cell_guess(&g);
	}
	VEC_RELEASE_ALL(&g.before, &g.wrote);
	map_release(&g.rounds);
	MEM_FREE_ALL(g.last, g.last_write);
	if (x->engine != &engine_triples)
		infer_pairs(x);
}
