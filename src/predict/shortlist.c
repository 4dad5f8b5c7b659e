/*
 * Pairs are gathered as they come and sorted by group and how good they are; whenever too many lie
 * around, all but the best of each group are thrown away.  One more than are wanted is kept, which
 * tells that a list is not complete.
 */
#include "predict/shortlist.h"

#include <stdlib.h>

#include "base/pool.h"
#include "base/sort.h"
#include "base/vec.h"
#include "order/causal.h"
#include "predict/candidates.h"
#include "predict/engine.h"
#include "predict/limits.h"

#define KEPT (LIMIT_TRIES + 1)
#define NEAR 1024u
#define CROWD 1000000u	       /* so many pairs of a piece before the first tidying */
#define MOST_PAIRS LIMIT_PAIRS /* of a piece, after tidying */

typedef VEC(struct shortlist_pair) pairs;

struct gatherer {
	const struct shortlist_source *s;
	size_t first;  /* piece */
	pairs *pieces; /* from it on */
	bool *cut;     /* by piece */
	struct hand *hands;
};

/* What one thread works with. */
struct hand {
	struct gatherer *g;
	struct walk *walk;
	size_t piece, crowd;
};

struct shortlist {
	pairs pairs;
	VEC(uint32_t) start; /* of each group; a last one ends it */
	bool is_cut;
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

	if (p->n == 0)
		return;
	qsort(p->at, p->n, sizeof(*p->at), compare);
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
	struct hand *h = arg;

	return causal_known(h->g->s->c, e, out);
}

static bool add_pair(struct hand *h, uint64_t group, uint32_t e1, uint32_t e2)
{
	pairs *p = &h->g->pieces[h->piece];

	*VEC_PUSH(p) = (struct shortlist_pair){ group, { e1, e2 } };
	if (p->n < h->crowd)
		return true;
	tidy(p);
	h->crowd = 2 * p->n > CROWD ? 2 * p->n : CROWD;
	if (p->n <= MOST_PAIRS)
		return true;
	h->g->cut[h->piece] = true;
	return false;
}

static bool meet_some(void *arg, const struct candidate *x)
{
	struct hand *h = arg;
	uint32_t n = x->n - x->live < KEPT ? x->n - x->live : KEPT;

	if (h->g->s->skip(h->g->s->arg, x->signature))
		return true;
	for (uint32_t i = 1; i <= n; i++)
		if (!add_pair(h, x->signature, x->at[x->n - i], x->e))
			return false;
	return !engine_stopped(h->g->s->opt);
}

static bool meet_every(void *arg, const struct candidate *x)
{
	struct hand *h = arg;

	for (uint32_t i = x->live; i < x->n; i++) {
		uint64_t group = shortlist_group_of(x->at[i], x->e);

		if (h->g->s->skip(h->g->s->arg, group))
			continue;
		if (!add_pair(h, group, x->at[i], x->e))
			return false;
	}
	return !engine_stopped(h->g->s->opt);
}

static bool is_skipped(void *arg, uint64_t signature)
{
	struct hand *h = arg;

	return h->g->s->skip(h->g->s->arg, signature);
}

static void gather_piece(void *arg, size_t piece, unsigned worker)
{
	struct gatherer *g = arg;
	struct hand *h = &g->hands[worker];
	struct candidate_visitor v = {
		.before = gather_before, .over = is_skipped, .meet = meet_some, .arg = h
	};

	if (engine_stopped(g->s->opt))
		return;
	if (g->s->opt->all_pairs) {
		v.meet = meet_every;
		v.over = NULL;
	}
	h->piece = piece;
	h->crowd = CROWD;
	walk_piece(h->walk, g->first + piece, &v);
	tidy(&g->pieces[piece]);
}

static void gather(struct gatherer *g, size_t pieces, unsigned jobs)
{
	g->hands = mem_zalloc(jobs * sizeof(*g->hands));
	for (unsigned i = 0; i < jobs; i++) {
		g->hands[i].g = g;
		g->hands[i].walk = walk_new(g->s->candidates);
	}
	pool_run(jobs, pieces, gather_piece, g);
	for (unsigned i = 0; i < jobs; i++)
		walk_free(g->hands[i].walk);
	mem_free(g->hands);
}

static void merge(struct shortlist *l, struct gatherer *g, size_t pieces)
{
	for (size_t i = 0; i < pieces; i++) {
		pairs *p = &g->pieces[i];

		VEC_RESERVE(&l->pairs, l->pairs.n + p->n + 1);
		for (size_t j = 0; j < p->n; j++)
			l->pairs.at[l->pairs.n++] = p->at[j];
		l->is_cut |= g->cut[i];
		VEC_RELEASE(p);
		if (l->pairs.n > MOST_PAIRS)
			tidy(&l->pairs);
		if (l->pairs.n > 2 * (size_t)MOST_PAIRS) {
			l->pairs.n = 2 * (size_t)MOST_PAIRS;
			l->is_cut = true;
		}
	}
	tidy(&l->pairs);
	for (size_t i = 0; i < l->pairs.n; i++)
		if (i == 0 || l->pairs.at[i].group != l->pairs.at[i - 1].group)
			*VEC_PUSH(&l->start) = (uint32_t)i;
	*VEC_PUSH(&l->start) = (uint32_t)l->pairs.n;
}

struct shortlist *shortlist_new(const struct shortlist_source *s, size_t first, size_t n)
{
	struct shortlist *l = mem_zalloc(sizeof(*l));
	struct gatherer g = { .s = s, .first = first };

	g.pieces = mem_zalloc((n + 1) * sizeof(*g.pieces));
	g.cut = mem_zalloc(n + 1);
	gather(&g, n, s->opt->jobs ? s->opt->jobs : 1);
	merge(l, &g, n);
	MEM_FREE_ALL(g.pieces, g.cut);
	return l;
}

void shortlist_free(struct shortlist *l)
{
	if (!l)
		return;
	VEC_RELEASE_ALL(&l->pairs, &l->start);
	mem_free(l);
}

size_t shortlist_count(const struct shortlist *l)
{
	return l->start.n - 1;
}

struct shortlist_group shortlist_at(const struct shortlist *l, size_t i)
{
	uint32_t begin = l->start.at[i], n = l->start.at[i + 1] - begin;

	return (struct shortlist_group){
		.at = l->pairs.at + begin,
		.n = n < LIMIT_TRIES ? n : LIMIT_TRIES,
		.complete = n <= LIMIT_TRIES && !l->is_cut,
	};
}

bool shortlist_is_cut(const struct shortlist *l)
{
	return l->is_cut;
}
