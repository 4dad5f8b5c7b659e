/*
 * Random models: a few threads, cells and locks, dense enough that every rule has work to do.
 */
#include "reorder_naive.h"

#include <stdlib.h>
#include <string.h>

#include "step_builder.h"

#define THREADS 4
#define LOCKS 3
#define CELLS 3

struct maker {
	struct step_builder b;
	const struct naive_kind *k;
	uint32_t threads, cells;
	uint64_t free_reads[THREADS + 1][NAIVE_EVENTS];
	uint32_t nfree[THREADS + 1];
	uint32_t held[THREADS + 1][LOCKS]; /* 0 not, else ACQ or RACQ */
};

static void maybe_feed(struct maker *x, uint32_t tid)
{
	uint32_t n = x->nfree[tid];

	if (n > 0 && rand() % 4)
		step_build_feed(&x->b, x->free_reads[tid][n - 1 - (uint32_t)rand() % n]);
}

static void make_access(struct maker *x, uint32_t tid)
{
	static const uint8_t ops[] = { STEP_READ,  STEP_READ,  STEP_READ, STEP_WRITE,
				       STEP_WRITE, STEP_WRITE, STEP_RMW,  STEP_FREE };
	uint8_t op = ops[rand() % 8];
	struct step *s;

	step_build_access(&x->b, tid, op, (uint32_t)rand() % x->cells);
	if (rand() % 6 == 0)
		step_build_cell(&x->b, (uint32_t)rand() % x->cells);
	s = step_build_last(&x->b);
	s->site = 1 + (uint32_t)rand() % 2;
	if (op == STEP_RMW || (op != STEP_FREE && rand() % 6 == 0))
		s->flags |= STEP_ATOMIC;
	if (x->k->trouble && op == STEP_READ && rand() % 20 == 0)
		s->flags |= STEP_STOP;
	if (x->k->trouble && op == STEP_READ && rand() % 8 == 0) {
		s->flags |= STEP_SHADOW;
		return;
	}
	if (!x->k->facts)
		return;
	if ((op == STEP_READ || op == STEP_RMW) && rand() % 3) {
		s->flags |= STEP_FREE_READ;
		if (x->k->trouble && op == STEP_READ && rand() % 12 == 0)
			s->flags |= STEP_TAINTED;
		x->free_reads[tid][x->nfree[tid]++] = s->tseq;
	}
	if (op == STEP_WRITE || op == STEP_RMW)
		maybe_feed(x, tid);
}

static bool is_free(const struct maker *x, uint32_t lock, bool shared)
{
	for (uint32_t t = 1; t <= x->threads; t++)
		if (x->held[t][lock] == STEP_ACQ || (x->held[t][lock] == STEP_RACQ && !shared))
			return false;
	return true;
}

static void make_lock(struct maker *x, uint32_t tid)
{
	uint32_t lock = (uint32_t)rand() % LOCKS;
	bool shared = x->k->readers && rand() % 2;

	if (x->held[tid][lock]) {
		step_build(&x->b, tid, x->held[tid][lock] == STEP_ACQ ? STEP_REL : STEP_RREL, lock);
		x->held[tid][lock] = 0;
	} else if (is_free(x, lock, shared)) {
		x->held[tid][lock] = shared ? STEP_RACQ : STEP_ACQ;
		step_build(&x->b, tid, (enum step_op)x->held[tid][lock], lock);
	}
}

static void make_edge(struct maker *x, uint32_t tid)
{
	uint32_t from, to;
	struct step *s;

	switch (rand() % 4) {
	case 0:
		step_build(&x->b, tid, STEP_PUT, 0);
		return;
	case 1:
		step_build(&x->b, tid, STEP_GET, 0);
		return;
	case 2:
		step_build(&x->b, tid, STEP_NONE, 0);
		if (x->b.pos > 1)
			step_build_more(&x->b, STEP_AFTER, 0)->from =
				1 + (uint32_t)rand() % (x->b.pos - 1);
		return;
	default:
		/* As a failed try: it comes before a later event, here the newest. */
		step_build(&x->b, tid, STEP_NONE, 0);
		to = x->b.pos;
		from = 1 + (uint32_t)rand() % to;
		if (from == to)
			return;
		s = step_build_more(&x->b, STEP_GUARD, 0);
		s->from = from;
		s->to = to;
		s->when = rand() % 2 ? from : 1 + (uint32_t)rand() % to;
		return;
	}
}

static void make_use(struct maker *x, uint32_t tid)
{
	step_build(&x->b, tid, STEP_USE, 0);
	maybe_feed(x, tid);
}

struct model *naive_model(const struct naive_kind *k)
{
	static struct maker x;
	uint32_t events = 8 + (uint32_t)rand() % 30, tid = 1;
	int locks = 20 + rand() % 50, stay = rand() % 100;
	struct model *m;

	memset(&x, 0, sizeof(x));
	x.k = k;
	x.threads = 2 + (uint32_t)rand() % (THREADS - 1);
	x.cells = 1 + (uint32_t)rand() % CELLS;
	while (x.b.pos < events) {
		int what = rand() % 100;

		/* Threads that run for a while leave whole sections behind. */
		if (rand() % 100 >= stay)
			tid = 1 + (uint32_t)rand() % x.threads;
		if (what < locks)
			make_lock(&x, tid);
		else if (what < locks + 6 && k->edges)
			make_edge(&x, tid);
		else if (what < locks + 10 && k->facts)
			make_use(&x, tid);
		else
			make_access(&x, tid);
	}
	m = step_build_model(&x.b, &(struct model_options){ 0 });
	step_builder_release(&x.b);
	return m;
}
