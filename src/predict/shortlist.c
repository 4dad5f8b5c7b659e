/*
 * Pairs are gathered as they come and sorted by group and how good they are; whenever too many lie
 * around, all but the best of each group are thrown away.  One more than are wanted is kept, which
 * tells that a list is not complete.
 */
#include "predict/races_priv.h"

#define KEPT (LIMIT_TRIES + 1)
#define NEAR 1024u
#define CROWD 1000000u	       /* so many pairs of a piece before the first tidying */
#define MOST_PAIRS LIMIT_PAIRS /* of a piece, after tidying */

typedef VEC(struct shortlist_pair) pairs;

/* What one thread works with. */
struct gatherer {
	const struct shortlist_source *s;
	pairs *pieces; /* all of them */
	bool *cut;     /* by piece */
	size_t piece, crowd;
};

/* How far apart, roughly: near is near. */
static int distance(const struct shortlist_pair *x)
{
	return 31 - __builtin_clz((x->e[1] - x->e[0]) | NEAR);
}

/* Near ones first, of those the earliest: the schedule is as long as what lies before them. */
static int compare(const void *a, const void *b)
{
	const struct shortlist_pair *x = a, *y = b;

	return SORT_ORDER(x->group, y->group) ?: distance(x) - distance(y) ?:
	       SORT_ORDER(x->e[1], y->e[1]) ?: SORT_ORDER(y->e[0], x->e[0]);
}

/* Sorts; leaves out doubles (accesses that share several cells) and all but KEPT of a group. */
static void tidy(pairs *p)
{
	size_t n = 0, in_group = 0;

	SORT_VEC(p, compare);
	for (size_t i = 0; i < p->n; i++) {
		bool same = n > 0 && p->at[i].group == p->at[n - 1].group;

		in_group = same ? in_group : 0;
		if (in_group == KEPT || (same && p->at[i].e[0] == p->at[n - 1].e[0] &&
					 p->at[i].e[1] == p->at[n - 1].e[1]))
			continue;
		p->at[n++] = p->at[i];
		in_group++;
	}
	p->n = n;
}

static bool gather_before(void *arg, uint32_t e, struct causal_known *out)
{
	struct gatherer *g = arg;

	return causal_known(g->s->c, e, out);
}

static bool add_pair(struct gatherer *g, uint64_t group, uint32_t e1, uint32_t e2)
{
	pairs *p = &g->pieces[g->piece];

	*VEC_PUSH(p) = (struct shortlist_pair){ group, { e1, e2 } };
	if (p->n < g->crowd)
		return true;
	tidy(p);
	g->crowd = 2 * p->n > CROWD ? 2 * p->n : CROWD;
	if (p->n <= MOST_PAIRS)
		return true;
	g->cut[g->piece] = true;
	return false;
}

static bool meet_some(void *arg, const struct candidate *x)
{
	struct gatherer *g = arg;
	uint32_t n = x->n - x->live < KEPT ? x->n - x->live : KEPT;

	if (g->s->skip(g->s->arg, x->signature))
		return true;
	for (uint32_t i = 1; i <= n; i++)
		if (!add_pair(g, x->signature, x->at[x->n - i], x->e))
			return false;
	return !engine_stopped(g->s->races->opt);
}

static bool meet_every(void *arg, const struct candidate *x)
{
	struct gatherer *g = arg;

	for (uint32_t i = x->live; i < x->n; i++) {
		uint64_t group = shortlist_group_of(x->at[i], x->e);

		if (g->s->skip(g->s->arg, group))
			continue;
		if (!add_pair(g, group, x->at[i], x->e))
			return false;
	}
	return !engine_stopped(g->s->races->opt);
}

static bool is_skipped(void *arg, uint64_t signature)
{
	struct gatherer *g = arg;

	return g->s->skip(g->s->arg, signature);
}

static bool gather_begin(void *arg, size_t piece)
{
	struct gatherer *g = arg;

	g->piece = piece;
	g->crowd = CROWD;
	return !engine_stopped(g->s->races->opt);
}

static void gather_end(void *arg, size_t piece, bool whole)
{
	struct gatherer *g = arg;

	(void)whole;
	tidy(&g->pieces[piece]);
}

static void gather(const struct gatherer *all, size_t first, size_t n)
{
	const struct races *r = all->s->races;
	unsigned jobs = engine_jobs(r->opt);
	struct gatherer *workers = mem_alloc(jobs * sizeof(*workers));
	bool every = r->opt->all_pairs;

	for (unsigned i = 0; i < jobs; i++)
		workers[i] = *all;
	walk_pieces(&(struct walk_work){ .c = r->candidates,
					 .jobs = jobs,
					 .first = first,
					 .n = n,
					 .workers = workers,
					 .size = sizeof(*workers),
					 .visitor = { .before = gather_before,
						      .over = every ? NULL : is_skipped,
						      .meet = every ? meet_every : meet_some },
					 .begin = gather_begin,
					 .end = gather_end });
	mem_free(workers);
}

static void merge(struct shortlist *l, const struct gatherer *g, size_t pieces)
{
	pairs all = { 0 };

	for (size_t i = 0; i < pieces; i++) {
		pairs *p = &g->pieces[i];

		VEC_APPEND(&all, p->at, p->n);
		l->is_cut |= g->cut[i];
		VEC_RELEASE(p);
		if (all.n > MOST_PAIRS)
			tidy(&all);
		if (all.n > 2 * (size_t)MOST_PAIRS) {
			all.n = 2 * (size_t)MOST_PAIRS;
			l->is_cut = true;
		}
	}
	tidy(&all);
	l->pairs = all.at;
	for (size_t i = 0; i < all.n; i++)
		if (i == 0 || all.at[i].group != all.at[i - 1].group)
			*VEC_PUSH(&l->start) = (uint32_t)i;
	*VEC_PUSH(&l->start) = (uint32_t)all.n;
}

void shortlist_make(struct shortlist *l, const struct shortlist_source *s, size_t first, size_t n)
{
	struct gatherer g = { .s = s,
			      .pieces = mem_zalloc((n + 1) * sizeof(*g.pieces)),
			      .cut = mem_zalloc(n + 1) };

	*l = (struct shortlist){ 0 };
	gather(&g, first, n);
	merge(l, &g, n);
	MEM_FREE_ALL(g.pieces, g.cut);
}

void shortlist_release(struct shortlist *l)
{
	mem_free(l->pairs);
	VEC_RELEASE(&l->start);
}

struct shortlist_group shortlist_at(const struct shortlist *l, size_t i)
{
	uint32_t begin = l->start.at[i], n = l->start.at[i + 1] - begin;

	return (struct shortlist_group){
		.at = l->pairs + begin,
		.n = n < LIMIT_TRIES ? n : LIMIT_TRIES,
		.complete = n <= LIMIT_TRIES && !l->is_cut,
	};
}
