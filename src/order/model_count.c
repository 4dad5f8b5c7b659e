/*
 * What counting shows: events that must come before a wait of a semaphore, a wait that failed or a
 * try that failed, whatever the order.
 *
 * A wait w needs as many posts before it as waits come before it, itself included, less what the
 * semaphore began with: call that need.  Posts that come after w by hard edges are of no use; let
 * n(u) be the others of chain u, and N their sum.  If all the rest of them cannot make up the need,
 * the first ones of chain u must help:
 *
 *	j = need - (N - n(u)) > 0	=>	the j-th post of chain u comes before w
 *
 *	chain 1		chain 2		chain 3
 *	post
 *			post
 *					wait	needs one of two: nothing follows
 *					wait	needs both: both must come before it
 *
 * A wait that failed found nothing left: it needs the posts that the waits before it need, and in the
 * same way waits, as many as there are posts before it and at the beginning.  A try that failed needs
 * a holder: if all who ever hold the lock are of one chain, its first section has begun.
 *
 * What comes before what by hard edges depends on these edges in turn, so it is done over a few
 * times; each time all that is found is true.  One chain, or all that are waited for, is what most
 * programs have, and then nothing is left open.
 */

#include "order/causal.h"
#include "order/model_priv.h"

#define ROUNDS 3	      /* at most */
#define MOST_LOOKS 100000000u /* at chains of waits, in one round; else nothing is done */

struct counting {
	struct model *m;
	struct causal *hard;
	struct model_edges row; /* of the event in hand */
	VEC(struct model_edges) edges;
	VEC(uint32_t) found;
};

/* What is counted of a run: POSTs or TAKEs. */
static const uint32_t *counts_of(const struct model_sem_run *run, uint8_t op)
{
	return op == STEP_POST ? run->posts : run->takes;
}

/* How many of the run must come before e, or are e. */
static uint32_t run_before(const struct counting *c, const struct model_sem_run *run, uint32_t e)
{
	uint32_t n = 0;

	causal_count(c->hard, e, run->chain, &n);
	return model_list_within(c->m, (struct model_list){ run->at, run->n }, n);
}

/* p must come after e, or can never be. */
static bool comes_after(const struct counting *c, uint32_t e, uint32_t p)
{
	const struct model_event *x = &c->m->event[e];
	uint32_t n;

	return p != e && (!causal_count(c->hard, p, x->chain, &n) || n > x->index);
}

/* How many of the run may come before e. */
static uint32_t run_usable(const struct counting *c, const struct model_sem_run *run, uint32_t e)
{
	return SEARCH_PAST(i, run_before(c, run, e), run->n, !comes_after(c, e, run->at[i]));
}

static int64_t sum_before(const struct counting *c, uint32_t e, uint8_t op)
{
	struct model_sem_runs runs = model_sem_runs(c->m, c->m->event[e].obj);
	int64_t sum = 0;

	for (uint32_t i = 0; i < runs.n; i++)
		sum += counts_of(&runs.at[i], op)[run_before(c, &runs.at[i], e)];
	return sum;
}

static void found(struct counting *c, uint32_t e, uint32_t p)
{
	/* What the trace does not keep to itself is not to be explained. */
	if (p >= e || c->m->event[p].chain == c->m->event[e].chain)
		return;
	if (c->row.event != e) {
		c->row = (struct model_edges){ e, (uint32_t)c->found.n, 0 };
		*VEC_PUSH(&c->edges) = c->row;
	}
	*VEC_PUSH(&c->found) = p;
}

/* At least `need' POSTs, or TAKEs, come before e. */
static void demand(struct counting *c, uint32_t e, uint8_t op, int64_t need)
{
	struct model_sem_runs runs = model_sem_runs(c->m, c->m->event[e].obj);
	int64_t all = 0;

	if (need <= 0)
		return;
	for (uint32_t i = 0; i < runs.n; i++)
		all += counts_of(&runs.at[i], op)[run_usable(c, &runs.at[i], e)];
	for (uint32_t i = 0; i < runs.n; i++) {
		const struct model_sem_run *run = &runs.at[i];
		const uint32_t *counts = counts_of(run, op);
		uint32_t usable = run_usable(c, run, e);
		int64_t j = need - (all - counts[usable]);

		if (j > 0 && j <= counts[usable])
			found(c, e, run->at[SEARCH_PAST(k, 0, usable, counts[k] < j) - 1]);
	}
}

static void look(struct counting *c, uint32_t e)
{
	int64_t value = (int64_t)model_sem_value(c->m, c->m->event[e].obj);

	demand(c, e, STEP_POST, sum_before(c, e, STEP_TAKE) - value);
	if (c->m->event[e].op == STEP_ZERO)
		demand(c, e, STEP_TAKE, sum_before(c, e, STEP_POST) + value);
}

/* All sections that explain the try are of one chain: the first of them has begun. */
static void look_busy(struct counting *c, uint32_t e)
{
	uint32_t first = 0;

	for (uint32_t k = 0; k < c->m->nchains; k++) {
		struct model_list l = model_lock_chain(c->m, c->m->event[e].obj, k);

		for (uint32_t i = 0; i < l.n; i++) {
			if (!model_explains(c->m, e, l.at[i]))
				continue;
			if (first != 0)
				return;
			first = l.at[i];
			break;
		}
	}
	if (first != 0)
		found(c, e, first);
}

/* How much there is to look at. */
static uint64_t looks(const struct model *m)
{
	uint64_t sum = 0;

	for (uint32_t id = 1; id <= m->n; id++) {
		uint8_t op = m->event[id].op;

		if (op == STEP_TAKE || op == STEP_ZERO)
			sum += model_sem_runs(m, m->event[id].obj).n;
		else if (op == STEP_BUSY)
			sum += m->nchains;
	}
	return sum;
}

/* True: it found more than the round before. */
static bool round_run(struct counting *c)
{
	struct model_priv *p = c->m->priv;
	size_t before = p->counted.n;

	VEC_CLEAR(&c->edges);
	VEC_CLEAR(&c->found);
	c->row.event = 0;
	c->hard = causal_new(c->m, CAUSAL_HARD, false);
	for (uint32_t id = 1; id <= c->m->n; id++) {
		const struct model_event *e = &c->m->event[id];

		if (e->flags & STEP_STOP)
			continue;
		if (e->op == STEP_TAKE || e->op == STEP_ZERO)
			look(c, id);
		else if (e->op == STEP_BUSY)
			look_busy(c, id);
	}
	causal_free(c->hard);
	*VEC_PUSH(&c->edges) = (struct model_edges){ c->m->n + 1, (uint32_t)c->found.n, 0 };
	VEC_SWAP(&p->counted_edges, &c->edges);
	VEC_SWAP(&p->counted, &c->found);
	return p->counted.n > before;
}

void model_settle_counts(struct model *m)
{
	struct counting c = { .m = m };
	uint64_t n = looks(m);

	if (n == 0 || n > MOST_LOOKS)
		return;
	for (int i = 0; i < ROUNDS && round_run(&c); i++)
		;
	VEC_RELEASE_ALL(&c.edges, &c.found);
}
