/*
 * The engines that list deadlock patterns against the definition, tried on every tuple of events
 * of random runs: forks and joins, locks that nest or not, read locks, tries, requests that were
 * never answered.
 *
 * The pattern is worked out here from what each thread did, not from the model.
 */
#include "tap.h"

#include <stdlib.h>

#include "predict/engine.h"
#include "predict/lockgraph.h"
#include "predict/patterns.h"
#include "step_builder.h"

#define THREADS 4
#define LOCKS 4
#define EVENTS 40
#define SITES 4
#define RUNS 10000

struct request {
	uint32_t tid, op, obj, site;
	bool tries;
	uint8_t held[LOCKS];  /* before it: 0, STEP_ACQ or STEP_RACQ */
	uint32_t open[LOCKS]; /* the acquires */
};

struct run {
	struct step_builder b;
	uint32_t n;
	struct request at[EVENTS + 1]; /* by id */
	uint8_t held[THREADS + 1][LOCKS];
	uint32_t open[THREADS + 1][LOCKS];
	uint32_t forked[THREADS + 1], joined[THREADS + 1]; /* events */
	uint32_t last[THREADS + 1], first[THREADS + 1];
	uint32_t release[EVENTS + 1]; /* by acquire */
	bool waits[THREADS + 1];      /* asked for a lock and never got it */
};

/* ---- random runs ---- */

static void add(struct run *r, uint32_t tid, enum step_op op, uint32_t obj, bool tries)
{
	uint32_t id = step_build(&r->b, tid, op, obj);
	struct step *s = step_build_last(&r->b);

	s->site = 1 + (uint32_t)rand() % SITES;
	s->flags |= tries ? STEP_TRY : 0;
	if (op == STEP_FORK || op == STEP_JOIN) {
		s->obj = obj - 1;
		s->other = obj;
	}
	r->n = id;
	r->at[id] = (struct request){
		.tid = tid, .op = op, .obj = obj, .site = s->site, .tries = tries
	};
	memcpy(r->at[id].held, r->held[tid], sizeof(r->at[id].held));
	memcpy(r->at[id].open, r->open[tid], sizeof(r->at[id].open));
	r->last[tid] = id;
	if (r->first[tid] == 0)
		r->first[tid] = id;
}

static bool is_busy(const struct run *r, uint32_t lock, bool shared)
{
	for (uint32_t t = 1; t <= THREADS; t++)
		if (r->held[t][lock] == STEP_ACQ || (r->held[t][lock] == STEP_RACQ && !shared))
			return true;
	return false;
}

static void take_lock(struct run *r, uint32_t tid, uint32_t lock)
{
	bool shared = rand() % 3 == 0;

	if (is_busy(r, lock, shared)) {
		if (rand() % 4 == 0) {
			add(r, tid, shared ? STEP_RREQ : STEP_REQ, lock, false);
			r->waits[tid] = true;
		}
		return;
	}
	add(r, tid, shared ? STEP_RACQ : STEP_ACQ, lock, rand() % 8 == 0);
	r->held[tid][lock] = shared ? STEP_RACQ : STEP_ACQ;
	r->open[tid][lock] = r->n;
}

static void drop_lock(struct run *r, uint32_t tid, uint32_t lock)
{
	add(r, tid, r->held[tid][lock] == STEP_ACQ ? STEP_REL : STEP_RREL, lock, false);
	r->release[r->open[tid][lock]] = r->n;
	r->held[tid][lock] = 0;
	r->open[tid][lock] = 0;
}

static bool is_idle(const struct run *r, uint32_t tid)
{
	for (uint32_t l = 0; l < LOCKS; l++)
		if (r->held[tid][l])
			return false;
	return !r->waits[tid];
}

/* Some thread forks, or joins one that holds nothing. */
static void fork_or_join(struct run *r, uint32_t tid)
{
	uint32_t u = 1 + (uint32_t)rand() % THREADS;

	if (u == tid || u == 1)
		return;
	if (!r->forked[u]) {
		add(r, tid, STEP_FORK, u, false);
		r->forked[u] = r->n;
	} else if (!r->joined[u] && r->last[u] && is_idle(r, u) && rand() % 2) {
		add(r, tid, STEP_JOIN, u, false);
		r->joined[u] = r->n;
	}
}

static void make_run(struct run *r, uint32_t n)
{
	memset(r, 0, sizeof(*r));
	for (uint32_t tries = 0; r->n < n && tries < 400; tries++) {
		uint32_t t = 1 + (uint32_t)rand() % THREADS, l = (uint32_t)rand() % LOCKS;

		if ((t != 1 && !r->forked[t]) || r->joined[t] || r->waits[t])
			continue;
		if (rand() % 5 == 0)
			fork_or_join(r, t);
		else if (!r->held[t][l])
			take_lock(r, t, l);
		else if (rand() % 3)
			drop_lock(r, t, l);
	}
}

/* ---- the definition ---- */

static bool is_request(const struct run *r, uint32_t e)
{
	const struct request *x = &r->at[e];

	if (x->op == STEP_ACQ || x->op == STEP_RACQ)
		return !x->tries;
	return x->op == STEP_REQ || x->op == STEP_RREQ;
}

static bool waits_for(const struct run *r, uint32_t a, uint32_t b)
{
	bool shared = r->at[a].op == STEP_RACQ || r->at[a].op == STEP_RREQ;
	uint8_t held = r->at[b].held[r->at[a].obj];

	return held == STEP_ACQ || (held == STEP_RACQ && !shared);
}

static bool disjoint(const struct run *r, uint32_t a, uint32_t b)
{
	for (uint32_t l = 0; l < LOCKS; l++) {
		uint8_t x = r->at[a].held[l], y = r->at[b].held[l];

		if (x && y && !(x == STEP_RACQ && y == STEP_RACQ))
			return false;
	}
	return true;
}

/* a comes before b in every run. */
static bool must_precede(const struct run *r, uint32_t a, uint32_t b)
{
	bool in[EVENTS + 1] = { 0 };

	in[a] = true;
	for (uint32_t e = a + 1; e <= b; e++) {
		const struct request *x = &r->at[e];

		if (e == r->first[x->tid] && r->forked[x->tid])
			in[e] = in[r->forked[x->tid]];
		for (uint32_t p = 1; p < e; p++)
			in[e] |= in[p] && (r->at[p].tid == x->tid ||
					   (x->op == STEP_JOIN && r->at[p].tid == x->obj));
	}
	return in[b];
}

/* While u runs, `acquire' is held: it must come before u, and its release after all of u. */
static bool surrounds(const struct run *r, uint32_t acquire, uint32_t u)
{
	uint32_t release = r->release[acquire];

	return r->at[acquire].tid != u && must_precede(r, acquire, r->first[u]) &&
	       (release == 0 || must_precede(r, r->last[u], release));
}

/* Some lock that is held around a's thread is held by another acquire at b, or around it. */
static bool kept_apart(const struct run *r, uint32_t a, uint32_t b)
{
	for (uint32_t q = 1; q <= r->n; q++) {
		const struct request *x = &r->at[q];

		if ((x->op != STEP_ACQ && x->op != STEP_RACQ) || !surrounds(r, q, r->at[a].tid))
			continue;
		if (r->at[b].held[x->obj] && r->at[b].open[x->obj] != q &&
		    !(x->op == STEP_RACQ && r->at[b].held[x->obj] == STEP_RACQ))
			return true;
		for (uint32_t p = 1; p <= r->n; p++)
			if (p != q && r->at[p].obj == x->obj &&
			    (r->at[p].op == STEP_ACQ ||
			     (r->at[p].op == STEP_RACQ && x->op == STEP_ACQ)) &&
			    surrounds(r, p, r->at[b].tid) && !surrounds(r, q, r->at[b].tid))
				return true;
	}
	return false;
}

/* Each waits for another so that all are on one circle; at[0] is fixed. */
static bool is_circle(const struct run *r, uint32_t *at, uint32_t n, uint32_t depth)
{
	if (depth == n)
		return waits_for(r, at[n - 1], at[0]);
	for (uint32_t i = depth; i < n; i++) {
		uint32_t x = at[i], y = at[depth];
		bool found;

		at[i] = y;
		at[depth] = x;
		found = waits_for(r, at[depth - 1], x) && is_circle(r, at, n, depth + 1);
		at[depth] = y;
		at[i] = x;
		if (found)
			return true;
	}
	return false;
}

enum filter { ALL, MHB, PARENTS };

static bool is_pattern(const struct run *r, const uint32_t *events, uint32_t n, enum filter f)
{
	uint32_t at[THREADS];

	for (uint32_t i = 0; i < n; i++) {
		at[i] = events[i];
		if (!is_request(r, events[i]))
			return false;
		for (uint32_t j = 0; j < n; j++) {
			if (i == j)
				continue;
			if (r->at[events[i]].tid == r->at[events[j]].tid ||
			    !disjoint(r, events[i], events[j]))
				return false;
			if (f >= MHB && must_precede(r, events[i], events[j]))
				return false;
			if (f == PARENTS && kept_apart(r, events[i], events[j]))
				return false;
		}
	}
	return is_circle(r, at, n, 1);
}

/* ---- engines ---- */

static struct engine_result ask(const char *name, const struct model *m,
				const struct engine_options *opt)
{
	const struct engine *e = engine_find(name);
	struct engine_run *run = engine_run_new(m);
	struct engine_result out = { 0 };

	e->search(e, run, opt, &out);
	engine_run_free(run);
	return out;
}

static size_t times_found(const struct engine_result *x, const uint32_t *events, uint32_t n)
{
	size_t times = 0;

	for (size_t i = 0; i < x->findings.at.n; i++) {
		const struct finding *f = &x->findings.at.at[i];
		bool same = f->nevents == n;

		for (uint32_t k = 0; same && k < n; k++)
			same = f->events[k] == events[k];
		times += same;
	}
	return times;
}

struct tally {
	size_t patterns, by_length[THREADS + 1], ordered, parents, wrong;
};

/* All tuples of n ascending events, from `from' on. */
static void compare(const struct run *r, const struct engine_result *all,
		    const struct engine_result *mhb, const struct engine_result *guarded,
		    uint32_t *at, uint32_t depth, uint32_t n, struct tally *t)
{
	if (depth == n) {
		bool any = is_pattern(r, at, n, ALL), free = any && is_pattern(r, at, n, MHB);
		bool meets = free && is_pattern(r, at, n, PARENTS);

		t->wrong += times_found(all, at, n) != any || times_found(mhb, at, n) != free;
		/* The engine knows fewer ways in which a lock can be held around a thread. */
		t->wrong +=
			times_found(guarded, at, n) > free || times_found(guarded, at, n) < meets;
		t->patterns += any;
		t->by_length[n] += any;
		t->ordered += any && !free;
		t->parents += free && !times_found(guarded, at, n);
		return;
	}
	for (uint32_t e = depth ? at[depth - 1] + 1 : 1; e <= r->n; e++) {
		if (!is_request(r, e))
			continue;
		at[depth] = e;
		compare(r, all, mhb, guarded, at, depth + 1, n, t);
	}
}

static size_t count(const struct engine_result *x)
{
	return x->findings.at.n;
}

static void try_definition(void)
{
	struct engine_options opt = { .all_pairs = true, .jobs = 1 };
	struct tally t = { 0 };
	bool each_once = true;

	srand(1);
	for (int i = 0; i < RUNS; i++) {
		struct run r;
		uint32_t at[THREADS];
		struct engine_result all, mhb, guarded;
		struct model *m;
		size_t before = t.patterns;

		make_run(&r, 12 + (uint32_t)rand() % (EVENTS - 12));
		m = step_build_model(&r.b, &(struct model_options){ 0 });
		all = ask("patterns-all", m, &opt);
		mhb = ask("patterns-mhb", m, &opt);
		guarded = ask("patterns", m, &opt);
		for (uint32_t n = 2; n <= THREADS; n++)
			compare(&r, &all, &mhb, &guarded, at, 0, n, &t);
		each_once &= count(&all) == t.patterns - before;
		engine_result_release(&all);
		engine_result_release(&mhb);
		engine_result_release(&guarded);
		model_free(m);
		step_builder_release(&r.b);
	}
	TAP_EQ(t.wrong, 0, "patterns are those of the definition, each once");
	TAP_OK(each_once, "and no others");
	printf("# %zu patterns: %zu of two threads, %zu of three, %zu of four; %zu ordered, %zu inside "
	       "a parent's lock\n",
	       t.patterns, t.by_length[2], t.by_length[3], t.by_length[4], t.ordered, t.parents);
	TAP_OK(t.by_length[2] > 500 && t.by_length[3] > 50 && t.by_length[4] > 10 &&
		       t.ordered > 50 && t.parents > 5,
	       "and there were some of every sort");
}

/* ---- one for each circle of places ---- */

static uint32_t place_mask(const struct finding *f)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < f->nevents; i++)
		mask |= 1u << f->sites[i];
	return mask;
}

/* The finding itself, or a shorter one at the same places. */
static bool stands_for(const struct engine_result *some, const struct finding *f)
{
	for (size_t i = 0; i < count(some); i++) {
		const struct finding *x = &some->findings.at.at[i];

		if (finding_signature(x) == finding_signature(f) ||
		    (x->nevents < f->nevents && place_mask(x) == place_mask(f)))
			return true;
	}
	return false;
}

static void try_places(const char *name)
{
	struct engine_options one = { .jobs = 1 }, every = { .all_pairs = true, .jobs = 1 };
	size_t missing = 0, invented = 0, twice = 0, seen = 0;

	srand(2);
	for (int i = 0; i < RUNS; i++) {
		struct run r;
		struct engine_result some, all;
		struct model *m;

		make_run(&r, 12 + (uint32_t)rand() % (EVENTS - 12));
		m = step_build_model(&r.b, &(struct model_options){ 0 });
		some = ask(name, m, &one);
		all = ask(name, m, &every);
		for (size_t k = 0; k < count(&all); k++)
			missing += !stands_for(&some, &all.findings.at.at[k]);
		for (size_t k = 0; k < count(&some); k++) {
			const struct finding *f = &some.findings.at.at[k];
			uint32_t at[FINDING_EVENTS];

			for (uint32_t e = 0; e < f->nevents; e++)
				at[e] = (uint32_t)f->events[e];
			invented += times_found(&all, at, f->nevents) != 1;
			for (size_t j = 0; j < k; j++)
				twice += finding_signature(f) ==
					 finding_signature(&some.findings.at.at[j]);
		}
		seen += count(&some);
		engine_result_release(&some);
		engine_result_release(&all);
		model_free(m);
		step_builder_release(&r.b);
	}
	TAP_EQ(missing, 0, "%s: every circle of places is told, or a shorter one of them", name);
	TAP_EQ(invented, 0, "%s: each is one of all", name);
	TAP_EQ(twice, 0, "%s: each once", name);
	TAP_OK(seen > 100, "%s: %zu seen", name, seen);
}

/* ---- places that are told apart no longer ---- */

struct sum {
	uint64_t n, hash;
};

static bool begin_any(void *arg, const uint32_t *places, uint32_t n)
{
	(void)arg;
	(void)places;
	(void)n;
	return true;
}

/* A sum of hashes does not know the order in which patterns come, nor where they begin. */
static bool meet_any(void *arg, const struct pattern *p, uint64_t *spent)
{
	struct sum *sum = arg;
	uint64_t hash = 0;

	(void)spent;
	for (uint32_t i = 0; i < p->n; i++)
		hash += (p->at[i] + 1) * 0x9e3779b97f4a7c15u >> 7;
	sum->hash += hash * hash;
	sum->n++;
	return true;
}

static struct sum sum_patterns(const struct model *m, bool coarse)
{
	struct engine_options opt = { .jobs = 1 };
	struct lockgraph *g = lockgraph_new(m, true);
	struct sum sum = { 0 };
	struct patterns_visitor v = { begin_any, meet_any, &sum };
	struct patterns *p;

	if (coarse)
		lockgraph_coarsen(g);
	p = patterns_new(g, &opt, false);
	for (uint32_t n = 2; n <= patterns_longest(p); n++)
		patterns_walk(p, n, &v);
	patterns_free(p);
	lockgraph_free(g);
	return sum;
}

static void try_coarse(void)
{
	size_t wrong = 0, seen = 0;

	srand(3);
	for (int i = 0; i < RUNS / 4; i++) {
		struct run r;
		struct sum fine, coarse;
		struct model *m;

		make_run(&r, 12 + (uint32_t)rand() % (EVENTS - 12));
		m = step_build_model(&r.b, &(struct model_options){ 0 });
		fine = sum_patterns(m, false);
		coarse = sum_patterns(m, true);
		wrong += fine.n != coarse.n || fine.hash != coarse.hash;
		seen += fine.n;
		model_free(m);
		step_builder_release(&r.b);
	}
	TAP_EQ(wrong, 0, "the same patterns without places, %zu of them", seen);
}

/* ---- budgets ---- */

/* Threads that take every pair of many locks: more patterns than can be listed. */
static void try_budget(void)
{
	static const char *const names[] = { "patterns", "spd", "deadlocks" };
	struct engine_options opt = { .budget = 2000, .jobs = 2 };
	struct step_builder b = { 0 };
	struct model *m;

	for (uint32_t t = 1; t <= 6; t++)
		for (uint32_t x = 0; x < 12; x++)
			for (uint32_t y = 0; y < 12; y++) {
				if (x == y)
					continue;
				step_build(&b, t, STEP_ACQ, x);
				step_build(&b, t, STEP_ACQ, y);
				step_build_last(&b)->site = t * 1000 + x * 12 + y;
				step_build(&b, t, STEP_REL, y);
				step_build(&b, t, STEP_REL, x);
			}
	m = step_build_model(&b, &(struct model_options){ 0 });
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct engine_result x = ask(names[i], m, &opt);

		TAP_OK(x.truncated.n > 0 && strstr(x.truncated.at[0], "budget"),
		       "%s stops at its budget and says so", names[i]);
		engine_result_release(&x);
	}
	model_free(m);
	step_builder_release(&b);
}

int main(void)
{
	try_definition();
	try_places("patterns-all");
	try_places("patterns");
	try_places("spd");
	try_places("deadlocks");
	try_coarse();
	try_budget();
	return tap_done();
}
