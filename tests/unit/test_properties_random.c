/*
 * Properties against brute force, on random tiny traces with random specs: every run of the
 * definition (runs.h), event by event, with the formula's truth by its table (formulas.h).
 *
 *	lattice-mvc	a property is violated there iff some run violates it, and at that level
 *	lattice-weak	the same when all variables are watched; else it finds nothing that is not so
 *	both		what the recorded run violates is told there; violating runs are as many
 *
 * Every finding's schedule is a run of the definition that violates the property with its last
 * event and not before, and the checker certifies it.  Jobs make no difference, nor do batches.
 *
 * Environment: LONG=1 more traces; SEED=N only that one, printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "formulas.h"
#include "monitor/monitor.h"
#include "monitor/watch.h"
#include "predict/engine.h"
#include "predict/lattice_proofs.h"
#include "runs.h"
#include "spec/spec.h"
#include "tap.h"
#include "tiny.h"
#include "trace/trace.h"
#include "trial.h"
#include "witness/check.h"
#include "witness/evidence.h"
#include "witness/view.h"

#define TRACES 3000
#define TRACES_LONG 100000
#define NODES 200000u /* of brute force, for one trace */
#define PROPERTIES 2

struct pattern {
	enum { PATTERN_READ, PATTERN_WRITE, PATTERN_ACQ } op;
	int obj;
};

/* The question. */
static struct tiny t;
static char text[4096], spec_text[8192], path[64];
static int fd = -1;
static uint64_t seed;
static unsigned declared; /* variables */
static bool all_watched;
static bool all_forked; /* every thread but the first: a lattice may grow with the trace */
static struct pattern patterns[FORMULA_EVENTS];
static int npatterns;
static struct formula formulas[PROPERTIES];
static struct spec *spec;
static struct monitors monitors;

static unsigned grown, wrong, unproven, uncertified, differ, tried, skipped, found, runs_wrong,
	runs_tried;

static void complain(const char *what)
{
	static int said;

	if (said++ >= 5)
		return;
	printf("# SEED=%llu: %s\n", (unsigned long long)seed, what);
	printf("# %s\n", spec_text);
	for (const char *p = text; *p;) {
		const char *end = strchr(p, '\n');

		printf("#\t%.*s\n", (int)(end - p), p);
		p = end + 1;
	}
}

/* ---- what the spec sees ---- */

static bool fits(const struct pattern *p, const struct tiny_event *e)
{
	if (p->op == PATTERN_ACQ)
		return tiny_acquires(e) && e->obj == p->obj;
	return tiny_is_access(e) && e->obj == p->obj &&
	       (p->op == PATTERN_READ ? tiny_reads(e) : tiny_writes(e));
}

static unsigned events_of(int e)
{
	unsigned mask = 0;

	for (int i = 0; i < npatterns; i++)
		mask |= (unsigned)fits(&patterns[i], &t.at[e]) << i;
	return mask;
}

static bool is_watched(int e)
{
	return tiny_is_access(&t.at[e]) && (declared >> t.at[e].obj & 1);
}

static bool is_point(enum runs_kind kind, int e)
{
	if (events_of(e))
		return true;
	if (kind == RUNS_MVC)
		return is_watched(e) && tiny_writes(&t.at[e]);
	return is_watched(e) || (t.at[e].op >= TINY_ACQ && t.at[e].op <= TINY_RREL);
}

static bool is_step(const struct formula *f, int e)
{
	return (events_of(e) & f->events) || (tiny_writes(&t.at[e]) && tiny_is_access(&t.at[e]) &&
					      (f->variables >> t.at[e].obj & 1));
}

static int initial_of(int v)
{
	return t.init_known[2 * v] ? t.init_value[2 * v] : 0;
}

/* ---- brute force ---- */

/* One run so far. */
struct history {
	int value[TINY_VARS];
	struct formula_state states[PROPERTIES][TINY_EVENTS + 1];
	int n[PROPERTIES];
	bool bad[PROPERTIES];
};

static void history_begin(struct history *h)
{
	memset(h, 0, sizeof(*h));
	for (int v = 0; v < TINY_VARS; v++)
		h->value[v] = initial_of(v);
	for (int p = 0; p < PROPERTIES; p++) {
		memcpy(h->states[p][0].value, h->value, sizeof(h->value));
		h->n[p] = 1;
		h->bad[p] = !formula_holds(&formulas[p], h->states[p], 1);
	}
}

static void history_add(struct history *h, int e)
{
	if (tiny_is_access(&t.at[e]) && tiny_writes(&t.at[e]))
		h->value[t.at[e].obj] = t.at[e].stored;
	for (int p = 0; p < PROPERTIES; p++) {
		struct formula_state *s = &h->states[p][h->n[p]];

		if (!is_step(&formulas[p], e))
			continue;
		memcpy(s->value, h->value, sizeof(h->value));
		s->events = events_of(e);
		h->n[p]++;
		h->bad[p] |= !formula_holds(&formulas[p], h->states[p], h->n[p]);
	}
}

struct truth {
	int observed[PROPERTIES]; /* position; 0 the initial state, -1 not */
	int level[PROPERTIES];	  /* the least; -1: no run */
	uint64_t runs, violating; /* orders of all events */
	uint32_t nodes;
};

static bool brute(enum runs_kind kind, uint32_t done, int points, const struct history *h,
		  struct truth *out)
{
	if (++out->nodes > NODES)
		return false;
	for (int p = 0; p < PROPERTIES; p++)
		if (h->bad[p] && (out->level[p] < 0 || points < out->level[p]))
			out->level[p] = points;
	if (done == (1u << t.n) - 1) {
		bool bad = false;

		for (int p = 0; p < PROPERTIES; p++)
			bad |= h->bad[p];
		out->runs++;
		out->violating += bad;
	}
	for (int e = 0; e < t.n; e++) {
		struct history next;

		if (!runs_enabled(&t, kind, 0, done, e))
			continue;
		next = *h;
		history_add(&next, e);
		if (!brute(kind, done | 1u << e, points + is_point(kind, e), &next, out))
			return false;
	}
	return true;
}

static bool truth_find(enum runs_kind kind, struct truth *out)
{
	struct history h;

	memset(out, 0, sizeof(*out));
	history_begin(&h);
	for (int p = 0; p < PROPERTIES; p++) {
		out->observed[p] = h.bad[p] ? 0 : -1;
		out->level[p] = -1;
	}
	for (int e = 0; e < t.n; e++) {
		history_add(&h, e);
		for (int p = 0; p < PROPERTIES; p++)
			if (h.bad[p] && out->observed[p] < 0)
				out->observed[p] = e + 1;
	}
	history_begin(&h);
	return brute(kind, 0, 0, &h, out);
}

/* ---- the engine ---- */

struct reading {
	struct trace *trace;
	struct watch *watch;
	struct steps *steps;
	struct watch_items items;
};

static void see(void *arg, struct trace *trace, const struct event *e)
{
	struct reading *r = arg;

	watch_see(r->watch, trace, e, &r->items);
}

static void reading_open(struct reading *r)
{
	struct step_options opt = { .recycle = true, .see = see, .see_arg = r };
	struct diag d = { 0 };

	memset(r, 0, sizeof(*r));
	if (trace_open(path, NULL, &r->trace, &d) != ST_OK ||
	    watch_bind(spec, r->trace, &r->watch, &d) != ST_OK) {
		complain(d.message);
		BUG("%s", d.message);
	}
	r->steps = steps_new(r->trace, &opt);
}

static void reading_close(struct reading *r)
{
	steps_free(r->steps);
	watch_free(r->watch);
	watch_items_release(&r->items);
	trace_close(r->trace);
}

static bool reading_next(struct reading *r, struct step_batch *b)
{
	struct diag d = { 0 };

	VEC_CLEAR(&r->items.at);
	VEC_CLEAR(&r->items.writes);
	return steps_next(r->steps, b, &d) == ST_OK;
}

/* Whole batches, or event by event and levels after each. */
static void feed(const struct engine *engine, void *self, const struct step_batch *b, bool single)
{
	struct step_batch part = *b;

	if (!single) {
		engine->steps(self, b);
		return;
	}
	for (size_t i = 0, n; i < b->n; i += n) {
		n = 1;
		while (i + n < b->n && (b->at[i + n].flags & STEP_MORE))
			n++;
		part.at = b->at + i;
		part.n = n;
		engine->steps(self, &part);
		/* No more for now: all levels are built that can be. */
		part.n = 0;
		if (all_forked)
			engine->steps(self, &part);
	}
}

static void ask(const struct engine *engine, struct engine_options *opt, bool single,
		struct engine_result *out)
{
	struct lattice_proofs *proofs;
	struct step_batch b;
	struct reading r;
	void *self;

	memset(out, 0, sizeof(*out));
	reading_open(&r);
	opt->monitors = &monitors;
	opt->watch = r.watch;
	opt->items = &r.items;
	self = engine->begin(engine, opt);
	while (reading_next(&r, &b))
		feed(engine, self, &b, single);
	engine->end(self, out);
	reading_close(&r);
	proofs = lattice_proofs_new(opt, &out->findings);
	while (lattice_proofs_wanted(proofs)) {
		reading_open(&r);
		lattice_proofs_begin(proofs, r.watch);
		while (reading_next(&r, &b))
			lattice_proofs_take(proofs, &b, &r.items);
		lattice_proofs_end(proofs);
		reading_close(&r);
	}
	lattice_proofs_free(proofs);
}

/* ---- proofs ---- */

struct proof {
	struct trace *trace;
	struct view view;
	struct evidence *evidence;
	struct checker *checker;
};

static void proof_see(void *arg, struct trace *trace, const struct event *e)
{
	view_see(&((struct proof *)arg)->view, trace, e);
}

static void proof_begin(struct proof *j)
{
	struct evidence_options opt = { .values = true, .each = proof_see, .each_arg = j };
	struct diag d = { 0 };

	memset(j, 0, sizeof(*j));
	if (trace_open(path, NULL, &j->trace, &d) != ST_OK)
		BUG("%s", d.message);
	view_bind(&j->view, spec, j->trace);
	if (evidence_load(j->trace, &opt, &j->evidence, &d) != ST_OK)
		BUG("%s", d.message);
	evidence_check(j->evidence);
	j->checker = checker_new(j->evidence);
}

static void proof_end(struct proof *j)
{
	checker_free(j->checker);
	evidence_free(j->evidence);
	trace_close(j->trace);
	view_release(&j->view);
}

static bool is_certified(struct proof *j, const struct finding *f, const struct check_order *order)
{
	struct check_claim claim = { .kind = f->kind,
				     .targets = f->events,
				     .ntargets = f->nevents,
				     .order = order->at.at,
				     .norder = order->at.n,
				     .strict = true,
				     .view = &j->view,
				     .property = f->property };
	struct check_verdict v = { 0 };
	bool good;

	checker_run(j->checker, &claim, &v);
	good = v.certified && !v.doubtful;
	if (!good)
		complain(v.what);
	check_verdict_release(&v);
	return good;
}

/* A run, if all variables are watched, that violates the property at its end. */
static bool is_proof(enum runs_kind kind, const struct finding *f, const struct check_order *order,
		     int p)
{
	struct history h;
	uint32_t done = 0;

	history_begin(&h);
	for (size_t i = 0; i < order->at.n; i++) {
		int e = (int)order->at.at[i] - 1;

		if (h.bad[p] || (all_watched && !runs_enabled(&t, kind, 0, done, e)))
			return false;
		history_add(&h, e);
		done |= 1u << e;
	}
	return h.bad[p] &&
	       (f->nevents ? order->at.n && order->at.at[order->at.n - 1] == f->events[0]
			   : order->at.n == 0);
}

static void prove(struct proof *j, enum runs_kind kind, const struct finding *f, int p)
{
	struct check_order order = { 0 };

	found++;
	if (!f->claimed || !check_expand(j->evidence, &f->schedule, &order) ||
	    !is_proof(kind, f, &order, p)) {
		unproven++;
		complain("a schedule proves nothing");
	}
	if (!is_certified(j, f, &order))
		uncertified++;
	VEC_RELEASE(&order.at);
}

/* ---- answers ---- */

static const struct finding *find(const struct engine_result *r, int p)
{
	char name[8];

	snprintf(name, sizeof(name), "p%d", p);
	for (size_t i = 0; i < r->findings.at.n; i++)
		if (r->findings.at.at[i].kind == FINDING_PROPERTY &&
		    strcmp(r->findings.at.at[i].property, name) == 0)
			return &r->findings.at.at[i];
	return NULL;
}

static int level_of(const struct finding *f)
{
	int n = 0;

	for (size_t i = 0; i < f->cut.n; i++)
		n += (int)f->cut.at[i];
	return n;
}

static bool is_right(enum runs_kind kind, const struct truth *truth, const struct finding *f, int p)
{
	if (truth->observed[p] >= 0)
		return f && f->observed &&
		       (f->nevents ? (int)f->events[0] : 0) == truth->observed[p];
	if (!f)
		return truth->level[p] < 0 || (kind == RUNS_WEAK && !all_watched);
	if (f->observed || truth->level[p] < 0)
		return false;
	return (kind == RUNS_WEAK && !all_watched) || level_of(f) == truth->level[p];
}

static void proof_answer(struct proof *j, enum runs_kind kind, const struct truth *truth,
			 const struct engine_result *r)
{
	char what[300];

	for (int p = 0; p < PROPERTIES; p++) {
		const struct finding *f = find(r, p);

		if (!is_right(kind, truth, f, p)) {
			wrong++;
			snprintf(what, sizeof(what),
				 "%s, p%d: %s at level %d; by definition %s, level %d",
				 kind == RUNS_MVC ? "mvc" : "weak", p,
				 !f	       ? "none"
				 : f->observed ? "observed"
					       : "predicted",
				 f ? level_of(f) : -1,
				 truth->observed[p] >= 0 ? "observed"
				 : truth->level[p] >= 0	 ? "predicted"
							 : "none",
				 truth->level[p]);
			complain(what);
		}
		if (f)
			prove(j, kind, f, p);
	}
}

/* Only where every event is a point are runs of points runs of events. */
static void proof_runs(enum runs_kind kind, const struct truth *truth,
		       const struct engine_result *r)
{
	uint64_t runs = 0, violating = 0;

	for (int e = 0; e < t.n; e++)
		if (!is_point(kind, e))
			return;
	runs_tried++;
	if (!big_fits(&r->lattice->runs, &runs) || runs != truth->runs ||
	    !big_fits(&r->lattice->violating_runs, &violating) || violating != truth->violating) {
		char what[200];

		snprintf(what, sizeof(what), "%s: %llu of %llu runs violate; not %llu of %llu",
			 kind == RUNS_MVC ? "mvc" : "weak", (unsigned long long)violating,
			 (unsigned long long)runs, (unsigned long long)truth->violating,
			 (unsigned long long)truth->runs);
		runs_wrong++;
		complain(what);
	}
}

static bool same(const struct engine_result *a, const struct engine_result *b)
{
	bool equal = a->findings.at.n == b->findings.at.n && a->lattice->cuts == b->lattice->cuts &&
		     a->lattice->edges == b->lattice->edges &&
		     a->lattice->dead_ends == b->lattice->dead_ends;

	for (int p = 0; equal && p < PROPERTIES; p++) {
		const struct finding *f = find(a, p), *g = find(b, p);

		equal = !f == !g &&
			(!f || (f->events[0] == g->events[0] && level_of(f) == level_of(g) &&
				f->observed == g->observed));
	}
	return equal;
}

static void try_kind(struct proof *j, enum runs_kind kind)
{
	const struct engine *engine = kind == RUNS_MVC ? &engine_lattice_mvc : &engine_lattice_weak;
	struct engine_options opt = { .jobs = 1, .count = true },
			      other = { .jobs = 4, .count = true };
	struct engine_result r, q;
	struct truth truth;

	if (!truth_find(kind, &truth)) {
		skipped++;
		return;
	}
	tried++;
	ask(engine, &opt, false, &r);
	proof_answer(j, kind, &truth, &r);
	proof_runs(kind, &truth, &r);
	ask(engine, &other, true, &q);
	if (!same(&r, &q)) {
		differ++;
		complain("jobs or batches make a difference");
	}
	engine_result_release(&r);
	engine_result_release(&q);
}

/* ---- questions ---- */

static unsigned variables_of(void)
{
	unsigned mask = 0;

	for (int e = 0; e < t.n; e++)
		if (tiny_is_access(&t.at[e]))
			mask |= 1u << t.at[e].obj;
	return mask;
}

static bool forked(void)
{
	for (int u = 0; u < t.nthreads; u++)
		if (t.len[u] && t.thread_event[u][0] != 0 &&
		    t.at[t.thread_event[u][0]].before == TINY_NONE)
			return false;
	return true;
}

/* Of things that occur. */
static void choose_patterns(struct tiny_rng *rng)
{
	npatterns = 0;
	for (int e = 0; e < t.n && npatterns < FORMULA_EVENTS; e++) {
		struct pattern p = { PATTERN_ACQ, t.at[e].obj };

		if (!tiny_chance(rng, 30) || !(is_watched(e) || t.at[e].op == TINY_ACQ))
			continue;
		if (is_watched(e))
			p.op = tiny_chance(rng, 50) ? PATTERN_READ : PATTERN_WRITE;
		patterns[npatterns++] = p;
	}
}

static void write_spec(void)
{
	static const char *const words[] = { "read", "write", "acq" };
	int n = 0, max = (int)sizeof(spec_text);

	spec_text[0] = 0;
#define PUT(...) (n += snprintf(spec_text + n, (size_t)(max - n), __VA_ARGS__))
	for (int v = 0; v < TINY_VARS; v++)
		if (declared >> v & 1)
			PUT("shared long %c = %d; ", "xyz"[v], initial_of(v));
	for (int i = 0; i < npatterns; i++)
		PUT("event e%d = %s(%c); ", i, words[patterns[i].op],
		    (patterns[i].op == PATTERN_ACQ ? "lmno" : "xyz")[patterns[i].obj]);
	for (int p = 0; p < PROPERTIES; p++) {
		PUT("property p%d: ptltl ", p);
		n += (int)formula_print(&formulas[p], spec_text + n, (size_t)(max - n));
		PUT("; ");
	}
#undef PUT
}

/* The first thread forks the others that run from the start, before all else. */
static void fork_all(void)
{
	int first = t.at[0].thread, n = 0;
	struct tiny old = t;
	bool known[TINY_THREADS] = { false };

	known[first] = true;
	for (int e = 0; e < t.n; e++)
		if (t.at[e].op == TINY_FORK)
			known[t.at[e].obj] = true;
	t.n = 0;
	for (int u = 0; u < t.nthreads; u++)
		if (!known[u] && old.len[u])
			t.at[t.n++] = (struct tiny_event){
				.op = TINY_FORK, .thread = first, .obj = u, .loc = 90 + u
			};
	n = t.n;
	for (int e = 0; e < old.n && t.n < TINY_EVENTS; e++)
		t.at[t.n++] = old.at[e];
	for (int e = n; e < t.n; e++)
		if (t.at[e].op == TINY_WAKE && t.at[e].cause != TINY_NONE)
			t.at[e].cause += n;
	tiny_settle(&t);
}

/* False: the trace has no variables. */
static bool make(void)
{
	static const unsigned features[] = {
		0,
		TINY_ATOMICS,
		TINY_RWLOCKS,
		TINY_LOCKING,
		TINY_WAITS,
		TINY_ATOMICS | TINY_RWLOCKS,
	};
	struct tiny_rng rng = { seed * 77 + 5 };
	unsigned some;

	tiny_random(&t, seed, 4 + (int)(seed / 6 % 7), features[seed % 6] | TINY_VALUES);
	if (seed % 2)
		fork_all();
	tiny_print(&t, text, sizeof(text));
	all_forked = forked();
	grown += all_forked;
	declared = variables_of();
	if (!declared)
		return false;
	some = tiny_below(&rng, 8);
	all_watched = !(declared & some) || tiny_chance(&rng, 60);
	if (!all_watched)
		declared &= some;
	all_watched |= declared == variables_of();
	choose_patterns(&rng);
	for (int p = 0; p < PROPERTIES; p++)
		do
			formula_random(&formulas[p], &rng, declared, (1u << npatterns) - 1);
		while (!formulas[p].variables && !formulas[p].events);
	write_spec();
	return true;
}

static void file_make(void)
{
	fd = memfd_create("trace", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		BUG("no memory file");
}

static void try_trace(void)
{
	struct diag d = { 0 };
	struct proof j;

	if (!make())
		return;
	if (spec_parse("spec", spec_text, strlen(spec_text), &spec, &d) != ST_OK ||
	    monitors_new(spec, &monitors, &d) != ST_OK) {
		complain(d.message);
		BUG("%s", d.message);
	}
	file_make();
	proof_begin(&j);
	try_kind(&j, RUNS_MVC);
	try_kind(&j, RUNS_WEAK);
	proof_end(&j);
	close(fd);
	monitors_release(&monitors);
	spec_free(spec);
}

int main(void)
{
	struct trial_seeds seeds = trial_seeds(TRACES, TRACES_LONG);

	for (seed = seeds.from; seed < seeds.from + seeds.n; seed++) {
		try_trace();
		if (seeds.n == 1)
			complain("the trace");
	}
	TAP_EQ(wrong, 0, "%u lattices have the violations of brute force (%u too large)", tried,
	       skipped);
	TAP_EQ(runs_wrong, 0, "%u have as many runs and violating ones", runs_tried);
	TAP_EQ(unproven, 0, "%u schedules are runs that violate the property at their end", found);
	TAP_EQ(uncertified, 0, "the checker certifies them");
	TAP_EQ(differ, 0, "jobs and batches make no difference, nor does growing (%u)", grown);
	return tap_done();
}
