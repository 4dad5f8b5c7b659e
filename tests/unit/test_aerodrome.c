/*
 * aerodrome against the graph it stands for, on random small runs: it tells of a block exactly when the
 * graph has a circle, never before the circle is there, and only of blocks that are on one.
 *
 * Environment: LONG=1 more runs.
 */
#include <stdlib.h>

#include "predict/engine.h"
#include "stream_run.h"
#include "tap.h"

/* node[i]: the first event of what event i is part of. */
struct graph {
	uint32_t node[STREAM_EVENTS];
	uint64_t out[STREAM_EVENTS]; /* by node: the nodes that come after it at once */
};

static bool writes(const struct stream_event *e)
{
	return e->op == STEP_WRITE || e->op == STEP_RMW || e->op == STEP_FREE;
}

static bool touches(const struct stream_event *e)
{
	return e->op == STEP_READ || writes(e);
}

static bool releases_to(uint8_t release, uint8_t acquire)
{
	return (release == STEP_REL && (acquire == STEP_ACQ || acquire == STEP_RACQ)) ||
	       (release == STEP_RREL && acquire == STEP_ACQ);
}

/* a came before b: does that order what they are part of? */
static bool is_edge(const struct stream_run *r, uint32_t i, uint32_t j)
{
	const struct stream_event *a = &r->at[i], *b = &r->at[j];

	if (a->chain == b->chain)
		return true;
	if (touches(a) && touches(b))
		return a->life == b->life && (a->bytes & b->bytes) && (writes(a) || writes(b));
	return (a->op == STEP_FORK && a->obj == b->chain) ||
	       (b->op == STEP_JOIN && b->obj == a->chain) ||
	       (a->op == STEP_PUT && b->op == STEP_GET && a->obj == b->obj) ||
	       (releases_to(a->op, b->op) && a->obj == b->obj);
}

/* Blocks are outermost ones, and a condition wait cuts them in two. */
static void nodes_find(const struct stream_run *r, struct graph *g)
{
	uint32_t depth[STREAM_TIDS + 1] = { 0 }, first[STREAM_TIDS + 1] = { 0 };

	for (uint32_t i = 0; i < r->n; i++) {
		const struct stream_event *e = &r->at[i];

		if (e->op == STEP_BEGIN && depth[e->tid]++ == 0)
			first[e->tid] = i + 1;
		if (depth[e->tid] && !first[e->tid])
			first[e->tid] = i + 1; /* it wakes up */
		g->node[i] = first[e->tid] ? first[e->tid] - 1 : i;
		if (e->op == STEP_PARK)
			first[e->tid] = 0;
		if (e->op == STEP_END && depth[e->tid] && --depth[e->tid] == 0)
			first[e->tid] = 0;
	}
}

/* The first n events. */
static void edges_find(const struct stream_run *r, uint32_t n, struct graph *g)
{
	memset(g->out, 0, sizeof(g->out));
	for (uint32_t j = 0; j < n; j++)
		for (uint32_t i = 0; i < j; i++)
			if (g->node[i] != g->node[j] && is_edge(r, i, j))
				g->out[g->node[i]] |= (uint64_t)1 << g->node[j];
}

static bool is_on_circle(const struct graph *g, uint32_t node)
{
	uint64_t seen = g->out[node], before = 0;

	while (seen != before) {
		before = seen;
		for (uint32_t i = 0; i < STREAM_EVENTS; i++)
			if (seen >> i & 1)
				seen |= g->out[i];
	}
	return seen >> node & 1;
}

static bool has_circle(const struct graph *g)
{
	for (uint32_t i = 0; i < STREAM_EVENTS; i++)
		if (is_on_circle(g, i))
			return true;
	return false;
}

/* Some part of the block that begins there is on a circle of the first n events. */
static bool is_real(const struct stream_run *r, struct graph *g, uint32_t begin, uint32_t n)
{
	uint32_t depth = 0;

	edges_find(r, n, g);
	for (uint32_t i = begin; i < n; i++) {
		if (r->at[i].tid != r->at[begin].tid)
			continue;
		depth += r->at[i].op == STEP_BEGIN;
		if (is_on_circle(g, g->node[i]))
			return true;
		if (r->at[i].op == STEP_END && --depth == 0)
			return false;
	}
	return false;
}

static unsigned reports, circles;

static bool one_run(const struct stream_run *r)
{
	struct engine_options opt = { .all_pairs = true, .jobs = 1 };
	struct step_batch b = step_build_batch(&r->steps);
	struct engine_result res = { 0 };
	struct graph g = { { 0 }, { 0 } };
	void *self = engine_aerodrome.begin(&engine_aerodrome, &opt);
	bool good = true, circle;
	size_t half = b.n / 2;

	/* Batches end anywhere. */
	engine_aerodrome.steps(
		self, &(struct step_batch){ b.at, half, b.cells, b.feeds, b.bytes, b.tests });
	engine_aerodrome.steps(self, &(struct step_batch){ b.at + half, b.n - half, b.cells,
							   b.feeds, b.bytes, b.tests });
	engine_aerodrome.end(self, &res);
	nodes_find(r, &g);
	edges_find(r, r->n, &g);
	circle = has_circle(&g);
	if (circle != (res.findings.at.n > 0)) {
		printf("# circle: %d, reports: %zu\n", circle, res.findings.at.n);
		good = false;
	}
	for (size_t i = 0; i < res.findings.at.n && good; i++) {
		const struct finding *f = &res.findings.at.at[i];

		good = is_real(r, &g, (uint32_t)f->events[0] - 1, (uint32_t)f->events[1]);
		if (!good)
			printf("# no circle through the block at %u, at %u\n",
			       (unsigned)f->events[0], (unsigned)f->events[1]);
	}
	reports += (unsigned)res.findings.at.n;
	circles += circle;
	engine_result_release(&res);
	return good;
}

static void test_random(const char *what, struct stream_shape shape, uint32_t rounds)
{
	bool good = true;

	reports = circles = 0;
	for (uint32_t i = 1; i <= rounds && good; i++) {
		uint64_t seed = 0x9e3779b97f4a7c15u * i;
		struct stream_run r;

		shape.events = 6 + i % (STREAM_EVENTS - 7);
		stream_run_make(&r, &shape, &seed);
		good = one_run(&r);
		if (!good)
			stream_run_print(&r);
		stream_run_release(&r);
	}
	TAP_OK(good && circles > rounds / 10 && circles < rounds - rounds / 10,
	       "%u random runs, %s: %u with circles, %u reports", rounds, what, circles, reports);
}

int main(void)
{
	uint32_t rounds = getenv("LONG") ? 200000 : 10000;

	test_random("plain", (struct stream_shape){ .blocks = true }, rounds);
	test_random("atomics, read-write locks, facts, stops",
		    (struct stream_shape){ .blocks = true,
					   .atomics = true,
					   .shared = true,
					   .facts = true,
					   .stops = true },
		    rounds);
	return tap_done();
}
