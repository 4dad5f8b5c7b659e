/*
 * aerodrome against the graph it stands for, on random small runs: it tells of a block exactly when the
 * graph has a circle, never before the circle is there, and only of blocks that are on one.  And against
 * its rules as they are written, on longer runs: each end of a block goes over all that may know of it.
 *
 * Environment: LONG=1 more runs.
 */
#include <stdlib.h>

#include "predict/engine.h"
#include "stream_run.h"
#include "tap.h"
#include "tiny.h"

/* node[i]: the first event of what event i is part of. */
struct graph {
	bool locks; /* they make edges */
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
static bool is_edge(const struct stream_run *r, bool locks, uint32_t i, uint32_t j)
{
	const struct stream_event *a = &r->at[i], *b = &r->at[j];

	if (a->chain == b->chain)
		return true;
	if (touches(a) && touches(b))
		return a->life == b->life && (a->bytes & b->bytes) && (writes(a) || writes(b));
	return (a->op == STEP_FORK && a->obj == b->chain) ||
	       (b->op == STEP_JOIN && b->obj == a->chain) ||
	       (a->op == STEP_PUT && b->op == STEP_GET && a->obj == b->obj) ||
	       (locks && releases_to(a->op, b->op) && a->obj == b->obj);
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
			if (g->node[i] != g->node[j] && is_edge(r, g->locks, i, j))
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

static bool one_run(const struct engine *e, const struct stream_run *r)
{
	struct engine_options opt = { .all_pairs = true, .jobs = 1 };
	struct step_batch b = step_build_batch(&r->steps);
	struct engine_result res = { 0 };
	struct graph g = { .locks = e == &engine_aerodrome };
	void *self = e->begin(e, &opt);
	bool good = true, circle;
	size_t half = b.n / 2;

	/* Batches end anywhere. */
	e->steps(self, &(struct step_batch){ b.at, half, b.cells, b.feeds, b.bytes, b.tests });
	e->steps(self, &(struct step_batch){ b.at + half, b.n - half, b.cells, b.feeds, b.bytes,
					     b.tests });
	e->end(self, &res);
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

static void test_random(const struct engine *e, const char *what, struct stream_shape shape,
			uint32_t rounds)
{
	bool good = true;

	reports = circles = 0;
	for (uint32_t i = 1; i <= rounds && good; i++) {
		uint64_t seed = 0x9e3779b97f4a7c15u * i;
		struct stream_run r;

		shape.events = 6 + i % (STREAM_EVENTS - 7);
		stream_run_make(&r, &shape, &seed);
		good = one_run(e, &r);
		if (!good)
			stream_run_print(&r);
		stream_run_release(&r);
	}
	TAP_OK(good && circles > rounds / 10 && circles < rounds - rounds / 10,
	       "%s, %u random runs, %s: %u with circles, %u reports", e->name, rounds, what,
	       circles, reports);
}

/* ---- the rules ---- */

#define THREADS 4u
#define CELLS 5u
#define LOCKS 2u
#define EVENTS 400u

/* What a thread knows: of each, how many blocks it has begun. */
struct known {
	uint32_t of[THREADS];
};

struct handed {
	struct known by[THREADS];
	bool is[THREADS]; /* that thread has handed it on; of writes and releases the last one only */
};

struct rules {
	struct known now[THREADS];
	bool open[THREADS];
	uint32_t begin[THREADS]; /* position */
	struct handed write[CELLS], read[CELLS], lock[LOCKS];
	uint32_t told[EVENTS + 1]; /* by position of a BEGIN */
	uint32_t at;
};

static void know(struct known *a, const struct known *b)
{
	for (uint32_t u = 0; u < THREADS; u++)
		a->of[u] = a->of[u] > b->of[u] ? a->of[u] : b->of[u];
}

static void learn(struct rules *r, uint32_t t, const struct known *v)
{
	if (r->open[t] && v->of[t] == r->now[t].of[t] && !r->told[r->begin[t]])
		r->told[r->begin[t]] = r->at;
	know(&r->now[t], v);
}

static void learn_of_others(struct rules *r, uint32_t t, const struct handed *h)
{
	for (uint32_t u = 0; u < THREADS; u++)
		if (u != t && h->is[u])
			learn(r, t, &h->by[u]);
}

static void hand_on(struct rules *r, uint32_t t, struct handed *h, bool alone)
{
	if (alone)
		memset(h, 0, sizeof(*h));
	h->by[t] = r->now[t];
	h->is[t] = true;
}

static void tell_rest(const struct rules *r, uint32_t t, struct handed *h, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t u = 0; u < THREADS; u++)
			if (h[i].is[u] && h[i].by[u].of[t] == r->now[t].of[t])
				know(&h[i].by[u], &r->now[t]);
}

static void rules_end(struct rules *r, uint32_t t)
{
	for (uint32_t u = 0; u < THREADS; u++)
		if (u != t && r->now[u].of[t] == r->now[t].of[t])
			learn(r, u, &r->now[t]);
	tell_rest(r, t, r->write, CELLS);
	tell_rest(r, t, r->read, CELLS);
	tell_rest(r, t, r->lock, LOCKS);
	r->open[t] = false;
}

static void rules_step(struct rules *r, uint32_t t, enum step_op op, uint32_t obj)
{
	switch (op) {
	case STEP_BEGIN:
		r->now[t].of[t]++;
		r->open[t] = true;
		r->begin[t] = r->at;
		break;
	case STEP_END:
		rules_end(r, t);
		break;
	case STEP_READ:
		learn_of_others(r, t, &r->write[obj]);
		hand_on(r, t, &r->read[obj], false);
		break;
	case STEP_WRITE:
		learn_of_others(r, t, &r->write[obj]);
		learn_of_others(r, t, &r->read[obj]);
		hand_on(r, t, &r->write[obj], true);
		memset(&r->read[obj], 0, sizeof(r->read[obj]));
		break;
	case STEP_ACQ:
		learn_of_others(r, t, &r->lock[obj]);
		break;
	default:
		hand_on(r, t, &r->lock[obj], true);
	}
}

static void play(struct rules *r, struct step_builder *b, uint32_t t, enum step_op op, uint32_t obj)
{
	if (op == STEP_READ || op == STEP_WRITE)
		r->at = step_build_access(b, t + 1, op, obj);
	else
		r->at = step_build(b, t + 1, op, obj);
	rules_step(r, t, op, obj);
}

/* What thread t does next. */
static enum step_op next_op(struct tiny_rng *g, const struct rules *r, uint32_t t, uint32_t *holder,
			    uint32_t *obj)
{
	if (tiny_chance(g, 12))
		return r->open[t] ? STEP_END : STEP_BEGIN;
	*obj = tiny_below(g, LOCKS);
	if (tiny_chance(g, 15) && (holder[*obj] == 0 || holder[*obj] == t + 1)) {
		holder[*obj] = holder[*obj] ? 0 : t + 1;
		return holder[*obj] ? STEP_ACQ : STEP_REL;
	}
	*obj = tiny_below(g, CELLS);
	return tiny_chance(g, 50) ? STEP_READ : STEP_WRITE;
}

/* Some threads are slow: they go on from what has long been over. */
static void rules_run(struct rules *r, struct step_builder *b, uint64_t seed)
{
	struct tiny_rng g = { seed };
	uint32_t holder[LOCKS] = { 0 }, slow = tiny_below(&g, 40), obj = 0;

	while (r->at < EVENTS) {
		uint32_t t = tiny_chance(&g, slow) ? tiny_below(&g, THREADS) : tiny_below(&g, 2);
		enum step_op op = next_op(&g, r, t, holder, &obj);

		play(r, b, t, op, obj);
	}
	for (uint32_t t = 0; t < THREADS; t++)
		if (r->open[t])
			rules_end(r, t);
}

static bool is_as_told(const struct rules *r, const struct findings *found)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i <= EVENTS; i++)
		n += r->told[i] != 0;
	for (size_t i = 0; i < found->at.n; i++) {
		const uint64_t *e = found->at.at[i].events;

		if (r->told[e[0]] != e[1]) {
			printf("# block at %u: told at %u, by the rules at %u\n", (unsigned)e[0],
			       (unsigned)e[1], r->told[e[0]]);
			return false;
		}
	}
	reports += n;
	return n == found->at.n;
}

/* What was played; b is released. */
static bool is_as_ruled(const struct rules *r, struct step_builder *b)
{
	struct engine_options opt = { .all_pairs = true, .jobs = 1 };
	struct engine_result res = { 0 };
	struct step_batch batch = step_build_batch(b);
	void *self = engine_aerodrome.begin(&engine_aerodrome, &opt);
	bool good;

	engine_aerodrome.steps(self, &batch);
	engine_aerodrome.end(self, &res);
	good = is_as_told(r, &res.findings);
	engine_result_release(&res);
	step_builder_release(b);
	return good;
}

/* What was written in thread 2's block comes after all of it, so after some of thread 3's, whose end came
 * later, so after all of that: also where it was brought up to date before it was read. */
static void test_two_rests(void)
{
	static const struct {
		uint8_t t, op, obj;
	} story[] = {
		{ 0, STEP_BEGIN, 0 }, { 0, STEP_WRITE, 0 }, { 1, STEP_BEGIN, 0 },
		{ 1, STEP_WRITE, 1 }, { 2, STEP_BEGIN, 0 }, { 2, STEP_WRITE, 2 },
		{ 1, STEP_READ, 2 },  { 1, STEP_END, 0 },   { 2, STEP_READ, 0 },
		{ 2, STEP_END, 0 },
	};
	struct step_builder b = { 0 };
	struct rules r;

	memset(&r, 0, sizeof(r));
	for (uint32_t i = 0; i <= CELLS; i++) {
		for (uint32_t k = 0; i == 1 && k < sizeof(story) / sizeof(story[0]); k++)
			play(&r, &b, story[k].t, story[k].op, story[k].obj);
		/* A block of thread 3 of which all, and some, is known. */
		play(&r, &b, 3, STEP_BEGIN, 0);
		play(&r, &b, 3, STEP_WRITE, 4);
		play(&r, &b, 3, STEP_END, 0);
		play(&r, &b, 2, STEP_BEGIN, 0);
		play(&r, &b, 2, STEP_WRITE, 3);
		play(&r, &b, 2, STEP_READ, 4);
		play(&r, &b, 2, STEP_END, 0);
	}
	play(&r, &b, 0, STEP_READ, 1);
	TAP_EQ(r.told[r.begin[0]], r.at, "the rules tell of a block that ended after another");
	TAP_OK(is_as_ruled(&r, &b), "and so it is");
}

static void test_rules(uint32_t rounds)
{
	bool good = true;

	reports = 0;
	for (uint32_t i = 1; i <= rounds && good; i++) {
		struct step_builder b = { 0 };
		struct rules r;

		memset(&r, 0, sizeof(r));
		rules_run(&r, &b, i);
		good = is_as_ruled(&r, &b);
		if (!good)
			printf("# seed %u\n", i);
	}
	TAP_OK(good && reports > rounds, "%u longer runs: %u blocks, each told when the rules do",
	       rounds, reports);
}

int main(void)
{
	uint32_t rounds = getenv("LONG") ? 200000 : 10000;
	const struct stream_shape plain = { .blocks = true };
	const struct stream_shape all = {
		.blocks = true, .atomics = true, .shared = true, .facts = true, .stops = true
	};

	test_random(&engine_aerodrome, "plain", plain, rounds);
	test_random(&engine_aerodrome, "atomics, read-write locks, facts, stops", all, rounds);
	test_random(&engine_aerodrome_data, "plain", plain, rounds);
	test_random(&engine_aerodrome_data, "atomics, read-write locks, facts, stops", all, rounds);
	test_two_rests();
	test_rules(rounds / 10);
	return tap_done();
}
