/*
 * Lock trees and the engine goodlock, against their definition written down with lists and
 * recursion; and the circles of predict/lockgraph_components against the closure of the edges.
 */
#include "tap.h"

#include <stdlib.h>

#include "predict/engine.h"
#include "predict/lockgraph.h"
#include "predict/locktree.h"
#include "step_builder.h"

#define THREADS 3
#define LOCKS 5
#define NODES 400
#define DEPTH 4

/* ---- the reference ---- */

struct node {
	uint32_t tid, lock, parent; /* parent 0: outermost */
	bool shared;
	uint64_t first, ask; /* positions; ask 0: tries only */
	uint64_t count;
};

struct trees {
	struct node at[NODES]; /* [0] unused */
	uint32_t n;
	uint32_t now[THREADS + 1];
	bool broken[THREADS + 1];
	uint32_t pairs[NODES][2]; /* positions that are reported */
	uint32_t npairs;
};

static uint32_t child(struct trees *t, uint32_t tid, uint32_t lock, bool shared)
{
	for (uint32_t i = 1; i <= t->n; i++)
		if (t->at[i].tid == tid && t->at[i].parent == t->now[tid] &&
		    t->at[i].lock == lock && t->at[i].shared == shared)
			return i;
	t->at[++t->n] =
		(struct node){ .tid = tid, .lock = lock, .parent = t->now[tid], .shared = shared };
	return t->n;
}

static bool excludes(const struct node *a, const struct node *b)
{
	return a->lock == b->lock && !(a->shared && b->shared);
}

static void check(struct trees *t, uint32_t n, uint32_t m)
{
	for (uint32_t c = 1; c <= t->n; c++) {
		bool found = false;

		if (t->at[c].parent != n)
			continue;
		for (uint32_t a = t->at[m].parent; a != 0; a = t->at[a].parent)
			found |= excludes(&t->at[c], &t->at[a]);
		if (!found) {
			check(t, c, m);
		} else if (t->at[c].ask && t->at[m].ask) {
			uint64_t x = t->at[c].ask, y = t->at[m].ask;

			t->pairs[t->npairs][0] = (uint32_t)(x < y ? x : y);
			t->pairs[t->npairs++][1] = (uint32_t)(x < y ? y : x);
		}
	}
}

static void analyse(struct trees *t, uint32_t n, uint32_t other, const bool *marked)
{
	bool mine[NODES];

	memcpy(mine, marked, sizeof(mine));
	for (uint32_t m = 1; m <= t->n; m++) {
		bool gated = false;

		if (t->at[m].tid != other || !excludes(&t->at[n], &t->at[m]))
			continue;
		for (uint32_t a = t->at[m].parent; a != 0; a = t->at[a].parent)
			gated |= marked[a];
		if (gated)
			continue;
		check(t, n, m);
		mine[m] = true;
	}
	for (uint32_t c = 1; c <= t->n; c++)
		if (t->at[c].parent == n)
			analyse(t, c, other, mine);
}

static void reference(struct trees *t)
{
	static const bool none[NODES];

	for (uint32_t i = 1; i <= THREADS; i++)
		for (uint32_t j = i + 1; j <= THREADS; j++)
			for (uint32_t n = 1; n <= t->n && !t->broken[i] && !t->broken[j]; n++)
				if (t->at[n].tid == i && t->at[n].parent == 0)
					analyse(t, n, j, none);
}

/* ---- random runs: mostly nested ---- */

struct maker {
	struct step_builder b;
	struct trees trees;
	uint32_t stack[THREADS + 1][DEPTH];
	uint8_t op[THREADS + 1][DEPTH];
	uint32_t depth[THREADS + 1];
};

static bool is_busy(const struct maker *x, uint32_t lock, bool shared)
{
	for (uint32_t t = 1; t <= THREADS; t++)
		for (uint32_t i = 0; i < x->depth[t]; i++)
			if (x->stack[t][i] == lock && !(shared && x->op[t][i] == STEP_RACQ))
				return true;
	return false;
}

static void acquire(struct maker *x, uint32_t tid, uint32_t lock, bool shared)
{
	struct trees *t = &x->trees;
	bool tries = rand() % 10 == 0;
	uint32_t pos;
	struct node *n;

	/* A request that comes before the acquire is the same call. */
	if (!tries && rand() % 6 == 0)
		step_build(&x->b, tid, shared ? STEP_RREQ : STEP_REQ, lock);
	pos = step_build(&x->b, tid, shared ? STEP_RACQ : STEP_ACQ, lock);
	step_build_last(&x->b)->site = pos;
	step_build_last(&x->b)->flags |= tries ? STEP_TRY : 0;
	t->now[tid] = child(t, tid, lock, shared);
	n = &t->at[t->now[tid]];
	n->count++;
	n->first = n->first ? n->first : pos;
	if (!tries && !n->ask)
		n->ask = pos;
	x->op[tid][x->depth[tid]] = shared ? STEP_RACQ : STEP_ACQ;
	x->stack[tid][x->depth[tid]++] = lock;
}

static void release(struct maker *x, uint32_t tid, uint32_t which)
{
	uint32_t top = --x->depth[tid];

	step_build(&x->b, tid, x->op[tid][which] == STEP_ACQ ? STEP_REL : STEP_RREL,
		   x->stack[tid][which]);
	if (which != top)
		x->trees.broken[tid] = true;
	for (uint32_t i = which; i < top; i++) {
		x->stack[tid][i] = x->stack[tid][i + 1];
		x->op[tid][i] = x->op[tid][i + 1];
	}
	x->trees.now[tid] = x->trees.at[x->trees.now[tid]].parent;
}

static void make_run(struct maker *x)
{
	uint32_t n = 20 + (uint32_t)rand() % 100;
	bool crossed = rand() % 8 == 0;

	memset(x, 0, sizeof(*x));
	while (x->b.pos < n) {
		uint32_t t = 1 + (uint32_t)rand() % THREADS, lock = (uint32_t)rand() % LOCKS;
		bool shared = rand() % 4 == 0, mine = false;

		for (uint32_t i = 0; i < x->depth[t]; i++)
			mine |= x->stack[t][i] == lock;
		if (x->depth[t] > 0 && rand() % 2)
			release(x, t, crossed && rand() % 20 == 0 ? 0 : x->depth[t] - 1);
		else if (x->depth[t] < DEPTH && !mine && !is_busy(x, lock, shared))
			acquire(x, t, lock, shared);
	}
}

/* ---- the engine ---- */

static struct engine_result ask(const struct step_builder *b, const struct engine_options *opt)
{
	const struct engine *e = engine_find("goodlock");
	struct step_batch batch = step_build_batch(b);
	struct engine_result out = { 0 };
	void *self = e->begin(e, opt);

	e->steps(self, &batch);
	e->end(self, &out);
	return out;
}

static bool same_pairs(const struct trees *t, const struct engine_result *x)
{
	if (x->findings.at.n != t->npairs)
		return false;
	for (uint32_t i = 0; i < t->npairs; i++) {
		size_t k = 0;

		while (k < x->findings.at.n && (x->findings.at.at[k].events[0] != t->pairs[i][0] ||
						x->findings.at.at[k].events[1] != t->pairs[i][1]))
			k++;
		if (k == x->findings.at.n)
			return false;
	}
	return true;
}

static void try_goodlock(void)
{
	struct engine_options opt = { .all_pairs = true };
	size_t wrong = 0, seen = 0, broken = 0;

	srand(3);
	for (int i = 0; i < 5000; i++) {
		static struct maker x;
		struct engine_result got;
		size_t said = 0;

		make_run(&x);
		reference(&x.trees);
		got = ask(&x.b, &opt);
		for (uint32_t t = 1; t <= THREADS; t++)
			said += x.trees.broken[t];
		wrong += !same_pairs(&x.trees, &got) || got.truncated.n != said;
		broken += said;
		seen += x.trees.npairs;
		engine_result_release(&got);
		step_builder_release(&x.b);
	}
	TAP_EQ(wrong, 0, "goodlock reports what its definition does");
	TAP_OK(seen > 1000 && broken > 50, "%zu pairs, %zu threads that do not nest", seen, broken);
}

/* ---- trees ---- */

static bool same_node(const struct trees *want, uint32_t w, const struct locktree *t, uint32_t n)
{
	const struct node *a = &want->at[w];
	const struct locktree_node *b = &t->nodes.at[n];

	return a->lock == b->lock && a->shared == b->shared && a->count == b->count &&
	       a->first == b->first.pos && a->ask == b->ask.pos;
}

/* Children of the reference are in the order of their making, those of the tree are too. */
static bool same_children(const struct trees *want, uint32_t tid, uint32_t w,
			  const struct locktree *t, uint32_t n)
{
	uint32_t c = t->nodes.at[n].child;

	for (uint32_t i = 1; i <= want->n; i++) {
		if (want->at[i].tid != tid || want->at[i].parent != w)
			continue;
		if (c == 0 || !same_node(want, i, t, c) || !same_children(want, tid, i, t, c))
			return false;
		c = t->nodes.at[c].next;
	}
	return c == 0;
}

static void try_trees(void)
{
	size_t wrong = 0, steps = 0, nodes = 0;

	srand(4);
	for (int i = 0; i < 1000; i++) {
		static struct maker x;
		struct locktree t;

		make_run(&x);
		locktree_init(&t);
		for (size_t k = 0; k < x.b.steps.n; k++)
			locktree_step(&t, &x.b.steps.at[k]);
		for (uint32_t tid = 1; tid <= THREADS && tid < t.threads.n; tid++) {
			uint32_t root = t.threads.at[tid].root;

			wrong += (t.threads.at[tid].broken != 0) != x.trees.broken[tid];
			if (!locktree_has(&t, tid))
				continue;
			wrong += !same_children(&x.trees, tid, 0, &t, root);
			for (uint32_t n = root; n != 0; n = locktree_after(&t, root, n, false))
				steps++;
			for (uint32_t n = 1; n <= x.trees.n; n++)
				nodes += x.trees.at[n].tid == tid;
			nodes++;
		}
		locktree_release(&t);
		step_builder_release(&x.b);
	}
	TAP_EQ(wrong, 0, "trees have the nodes of the reference, in order");
	TAP_EQ(steps, nodes, "a walk visits each once");
}

/* A million locks inside one another: nothing may recurse. */
static void try_deep(void)
{
	struct engine_options opt = { .all_pairs = true };
	struct step_builder b = { 0 };
	struct engine_result got;

	for (uint32_t t = 1; t <= 2; t++) {
		for (uint32_t l = 0; l < 200000; l++)
			step_build(&b, t, STEP_ACQ, l);
		for (uint32_t l = 200000; l-- > 0;)
			step_build(&b, t, STEP_REL, l);
	}
	got = ask(&b, &opt);
	TAP_EQ(got.findings.at.n, 0, "deep nests in one order are no trouble");
	engine_result_release(&got);
	step_builder_release(&b);
}

/* ---- circles ---- */

#define VERTICES 12

static void try_components(void)
{
	size_t wrong = 0, circles = 0;

	srand(5);
	for (int i = 0; i < 20000; i++) {
		struct lockgraph_edge edges[30];
		size_t n = (size_t)rand() % 30;
		uint32_t component[VERTICES];
		bool to[VERTICES][VERTICES] = { 0 };

		for (size_t k = 0; k < n; k++) {
			edges[k].from = (uint32_t)rand() % VERTICES;
			edges[k].to = (uint32_t)rand() % VERTICES;
			to[edges[k].from][edges[k].to] = true;
		}
		for (int k = 0; k < VERTICES; k++)
			for (int a = 0; a < VERTICES; a++)
				for (int b = 0; b < VERTICES; b++)
					to[a][b] |= to[a][k] && to[k][b];
		lockgraph_components(VERTICES, edges, n, component);
		for (int a = 0; a < VERTICES; a++) {
			wrong += (component[a] != 0) != to[a][a];
			circles += to[a][a];
			for (int b = 0; b < VERTICES && to[a][a]; b++)
				wrong += (component[a] == component[b]) !=
					 (a == b || (to[a][b] && to[b][a]));
		}
	}
	TAP_EQ(wrong, 0, "components are the circles of the closure");
	TAP_OK(circles > 1000, "%zu vertices were on one", circles);
}

int main(void)
{
	try_goodlock();
	try_trees();
	try_deep();
	try_components();
	return tap_done();
}
