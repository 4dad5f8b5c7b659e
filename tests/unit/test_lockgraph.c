/*
 * What a lock graph leaves out: requests that what is held keeps apart from all others, and no
 * more; and what the engines leave out when there are more deadlocks than anybody reads.
 */
#include "tap.h"

#include <stdlib.h>

#include "predict/engine.h"
#include "predict/lockgraph.h"
#include "step_builder.h"

#define THREADS 3
#define GATES 2
#define LOCKS 6
#define NESTS 14
#define DEPTH 3
#define RUNS 3000

/* ---- by hand ---- */

struct nest {
	uint32_t tid, n;
	enum step_op gate_op; /* how the first of the locks is taken */
	uint32_t locks[DEPTH];
};

static enum step_op op_of(const struct nest *x, uint32_t i)
{
	return i == 0 ? x->gate_op : STEP_ACQ;
}

static void build_nest(struct step_builder *b, const struct nest *x, uint32_t *ids)
{
	for (uint32_t i = 0; i < x->n; i++)
		ids[i] = step_build(b, x->tid, op_of(x, i), x->locks[i]);
	for (uint32_t i = x->n; i-- > 0;)
		step_build(b, x->tid, op_of(x, i) == STEP_RACQ ? STEP_RREL : STEP_REL, x->locks[i]);
}

static uint32_t requests_of(const struct nest *at, uint32_t n)
{
	struct step_builder b = { 0 };
	struct lockgraph *g;
	struct model *m;
	uint32_t ids[DEPTH], kept;

	for (uint32_t i = 0; i < n; i++)
		build_nest(&b, &at[i], ids);
	m = step_build_model(&b, &(struct model_options){ 0 });
	g = lockgraph_new(m, true);
	kept = g->nrequests;
	lockgraph_free(g);
	model_free(m);
	step_builder_release(&b);
	return kept;
}

#define REQUESTS(...)                                     \
	requests_of((const struct nest[]){ __VA_ARGS__ }, \
		    sizeof((const struct nest[]){ __VA_ARGS__ }) / sizeof(struct nest))

static void try_gates(void)
{
	struct nest ab = { 1, 3, STEP_ACQ, { 0, 2, 3 } }, ba = { 2, 3, STEP_ACQ, { 0, 3, 2 } };
	struct nest rab = { 1, 3, STEP_RACQ, { 0, 2, 3 } }, rba = { 2, 3, STEP_RACQ, { 0, 3, 2 } };
	struct nest other = { 2, 3, STEP_ACQ, { 1, 3, 2 } };
	struct nest free_ab = { 3, 2, STEP_ACQ, { 2, 3 } };
	struct nest mine = { 1, 2, STEP_ACQ, { 3, 2 } }, also = { 1, 2, STEP_ACQ, { 2, 3 } };

	TAP_EQ(REQUESTS(ab, ba), 0, "one gate around both");
	TAP_EQ(REQUESTS(ab, other), 2, "two gates are none");
	TAP_EQ(REQUESTS(rab, rba), 2, "nor is one in read mode");
	TAP_EQ(REQUESTS(rab, ba), 0, "but it is where one of them writes");
	TAP_EQ(REQUESTS(mine, also), 0, "one thread alone");
	TAP_EQ(REQUESTS(mine, also, free_ab), 2, "another one meets it where the orders differ");
	TAP_EQ(REQUESTS(ab, ba, free_ab), 2, "who is outside the gate meets one of those inside");
}

/* ---- random nests against pairs and triples of events ---- */

struct request {
	uint32_t event, tid, wants;
	enum step_op op;
	uint8_t held[LOCKS]; /* 0, STEP_ACQ or STEP_RACQ */
};

struct trial {
	struct step_builder b;
	struct request at[NESTS * DEPTH];
	uint32_t n;
};

static struct nest random_nest(void)
{
	struct nest x = { .tid = 1 + (uint32_t)rand() % THREADS, .gate_op = STEP_ACQ };
	bool gated = rand() % 8 != 0;

	if (gated) {
		x.gate_op = rand() % 4 == 0 ? STEP_RACQ : STEP_ACQ;
		x.locks[x.n++] = (uint32_t)rand() % GATES;
	}
	while (x.n < DEPTH) {
		uint32_t lock = GATES + (uint32_t)rand() % (LOCKS - GATES);

		if (x.n == 0 || x.locks[x.n - 1] != lock)
			x.locks[x.n++] = lock;
		if (x.n == 3 && x.locks[0] == x.locks[2])
			x.n--;
	}
	return x;
}

static void make_trial(struct trial *t)
{
	*t = (struct trial){ 0 };
	for (int i = 0; i < NESTS; i++) {
		struct nest x = random_nest();
		struct request now = { .tid = x.tid };
		uint32_t ids[DEPTH];

		build_nest(&t->b, &x, ids);
		for (uint32_t k = 0; k < x.n; k++) {
			now.event = ids[k];
			now.wants = x.locks[k];
			now.op = op_of(&x, k);
			if (k > 0)
				t->at[t->n++] = now;
			now.held[x.locks[k]] = (uint8_t)now.op;
		}
	}
}

static bool excludes(enum step_op a, enum step_op b)
{
	return a != 0 && b != 0 && (a == STEP_ACQ || b == STEP_ACQ);
}

static bool can_meet(const struct request *a, const struct request *b)
{
	for (uint32_t l = 0; l < LOCKS; l++)
		if (excludes(a->held[l], b->held[l]))
			return false;
	return a->tid != b->tid;
}

static bool waits(const struct request *a, const struct request *b)
{
	return excludes(a->op, b->held[a->wants]) && can_meet(a, b);
}

static bool is_kept(const struct lockgraph *g, uint32_t event)
{
	uint32_t n = g->nrequests
			     ? g->requests[g->nrequests - 1].first + g->requests[g->nrequests - 1].n
			     : 0;

	for (uint32_t i = 0; i < n; i++)
		if (g->events[i] == event)
			return true;
	return false;
}

/* Some circle of two or three has it. */
static bool is_needed(const struct trial *t, const struct request *a)
{
	for (const struct request *b = t->at; b < t->at + t->n; b++) {
		if (!waits(a, b))
			continue;
		if (waits(b, a))
			return true;
		for (const struct request *c = t->at; c < t->at + t->n; c++)
			if (waits(b, c) && waits(c, a) && can_meet(a, c))
				return true;
	}
	return false;
}

static void try_random(void)
{
	size_t lost = 0, needed = 0, dropped = 0;

	srand(5);
	for (int i = 0; i < RUNS; i++) {
		struct trial t;
		struct lockgraph *g;
		struct model *m;

		make_trial(&t);
		m = step_build_model(&t.b, &(struct model_options){ 0 });
		g = lockgraph_new(m, false);
		for (uint32_t k = 0; k < t.n; k++) {
			bool want = is_needed(&t, &t.at[k]), have = is_kept(g, t.at[k].event);

			lost += want && !have;
			needed += want;
			dropped += !have;
		}
		lockgraph_free(g);
		model_free(m);
		step_builder_release(&t.b);
	}
	TAP_EQ(lost, 0, "no request of a pattern is dropped");
	TAP_OK(needed > RUNS && dropped > RUNS, "%zu are in patterns, %zu are dropped", needed,
	       dropped);
}

/* ---- more deadlocks than anybody reads ---- */

#define PAIRS 150u

/* Two threads that take each pair of locks in both orders, each at places of its own. */
static struct model *many_pairs(struct step_builder *b)
{
	for (uint32_t t = 1; t <= 2; t++) {
		for (uint32_t i = 0; i < PAIRS; i++) {
			struct nest x = { t, 2, STEP_ACQ, { 2 * i + t - 1, 2 * i + 2 - t } };
			uint32_t ids[DEPTH];
			size_t before = b->steps.n;

			build_nest(b, &x, ids);
			for (size_t k = before; k < b->steps.n; k++)
				b->steps.at[k].site = 1 + 2 * i + t;
		}
	}
	return step_build_model(b, &(struct model_options){ 0 });
}

static void try_many(unsigned jobs)
{
	const struct engine *e = engine_find("deadlocks");
	struct engine_options opt = { .jobs = jobs };
	struct engine_result x = { 0 };
	struct step_builder b = { 0 };
	struct model *m = many_pairs(&b);
	struct engine_run *run = engine_run_new(m);

	e->search(e, run, &opt, &x);
	TAP_EQ(x.findings.at.n, 100, "%u jobs: a hundred are shown", jobs);
	TAP_EQ(x.counts.predicted, 100, "and counted");
	TAP_OK(x.truncated.n == 1 && strstr(x.truncated.at[0], " 50 more circles of places"),
	       "and how many there are besides is said");
	engine_result_release(&x);
	engine_run_free(run);
	model_free(m);
	step_builder_release(&b);
}

/* ---- deep nests ---- */

static void build_deep(struct step_builder *b, uint32_t tid, uint32_t depth, bool down)
{
	for (uint32_t i = 0; i < depth; i++)
		step_build(b, tid, STEP_ACQ, down ? depth - 1 - i : i);
	for (uint32_t i = depth; i-- > 0;)
		step_build(b, tid, STEP_REL, down ? depth - 1 - i : i);
}

/* Two threads take all locks, in opposite orders.  Pruning runs out of steps, and keeps them. */
static void try_deep(uint32_t depth, bool all)
{
	struct step_builder b = { 0 };
	struct lockgraph *g;
	struct model *m;

	build_deep(&b, 1, depth, false);
	build_deep(&b, 2, depth, true);
	m = step_build_model(&b, &(struct model_options){ 0 });
	g = lockgraph_new(m, true);
	if (all)
		TAP_EQ(g->nrequests, 2 * depth - 2, "%u locks deep: all are kept", depth);
	else
		TAP_OK(g->nproviders < 17000000, "%u locks deep: not for ever more", depth);
	TAP_EQ(g->is_cut, !all, "and that is said");
	lockgraph_free(g);
	model_free(m);
	step_builder_release(&b);
}

/* Once there is no room for deep ones, flat ones are found all the same. */
static void try_flat_after_deep(void)
{
	const struct engine *e = engine_find("deadlocks");
	struct engine_options opt = { .jobs = 1 };
	struct engine_result x = { 0 };
	struct step_builder b = { 0 };
	struct engine_run *run;
	struct model *m;
	uint32_t ids[DEPTH], deep = 6000;

	build_deep(&b, 1, deep, false);
	build_deep(&b, 1, deep, true);
	build_nest(&b, &(struct nest){ 1, 2, STEP_ACQ, { deep, deep + 1 } }, ids);
	build_nest(&b, &(struct nest){ 2, 2, STEP_ACQ, { deep + 1, deep } }, ids);
	m = step_build_model(&b, &(struct model_options){ 0 });
	run = engine_run_new(m);
	e->search(e, run, &opt, &x);
	TAP_EQ(x.counts.predicted, 1, "a flat one after deep ones");
	TAP_OK(x.truncated.n == 1 && strstr(x.truncated.at[0], "so many locks are held"),
	       "that some were left out is said");
	engine_result_release(&x);
	engine_run_free(run);
	model_free(m);
	step_builder_release(&b);
}

/* ---- chains of joins ---- */

static void build_peer(struct step_builder *b, uint32_t tid, enum step_op op, uint32_t peer)
{
	step_build(b, tid, op, peer - 1);
	step_build_last(b)->other = peer;
}

/* T1 holds a lock that the last of a chain of threads asks for, and joins the first of them. */
static void try_join_chain(uint32_t n)
{
	struct step_builder b = { 0 };
	struct lockgraph *g;
	struct model *m;
	uint32_t joins = 0;

	for (uint32_t t = 1; t < n; t++)
		build_peer(&b, t, STEP_FORK, t + 1);
	step_build(&b, n, STEP_ACQ, 0);
	step_build(&b, n, STEP_REL, 0);
	for (uint32_t t = n - 1; t > 1; t--)
		build_peer(&b, t, STEP_JOIN, t + 1);
	step_build(&b, 1, STEP_ACQ, 0);
	build_peer(&b, 1, STEP_JOIN, 2);
	m = step_build_model(&b, &(struct model_options){ 0 });
	g = lockgraph_new(m, true);
	for (uint32_t i = 0; i < g->nrequests; i++)
		joins += lockgraph_is_join(g, i);
	TAP_EQ(joins, n - 1, "all joins of a chain of %u threads", n);
	TAP_EQ(g->nrequests, n, "and the acquire at its end");
	lockgraph_free(g);
	model_free(m);
	step_builder_release(&b);
}

int main(void)
{
	try_gates();
	try_deep(1500, true);
	try_deep(7000, false);
	try_flat_after_deep();
	try_join_chain(4);
	try_join_chain(200);
	try_random();
	try_many(1);
	try_many(3);
	return tap_done();
}
