/*
 * Windows of a recording against the enumeration of every reordering of the whole run.
 *
 * A tiny random trace (tiny.h) is written as a recording, with cuts taken at random while it runs.
 * Whatever the engines find in a window of it, the enumeration must find in the whole: the past,
 * then the schedule.  In windows too the checker must agree with each claim.
 *
 * Environment: LONG=1 more traces; SEED=N only that one, printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "enumerate.h"
#include "predict/engine.h"
#include "tap.h"
#include "tiny.h"
#include "trace/trace.h"
#include "trace_builder.h"
#include "trial.h"
#include "witness/check.h"
#include "witness/evidence.h"
#include "witness/selfcheck.h"

#define TRACES 2500
#define TRACES_LONG 40000
#define STATES 1000000
#define VARS 0x10000u
#define LOCKS 0x20000u
#define CONDS 0x30000u
#define NUMBERS 128

static const struct row {
	const char *engine;
	bool strict;
} rows[] = { { "exact", true }, { "exact", false }, { "syncp", false }, { "deadlocks", false } };
#define NROWS (sizeof(rows) / sizeof(rows[0]))

static unsigned windows, events, late_findings, races, deadlocks, waits, wrong, unproven,
	inconsistent;

/* ---- a tiny trace as a recording ---- */

struct writer {
	const struct tiny *t;
	struct builder *b;
	struct tiny_rng rng;
	struct version word[TINY_VARS], lock[TINY_LOCKS], cond[TINY_CONDS];
	uint32_t half[TINY_CELLS]; /* contents */
	bool rwlock[TINY_LOCKS];
	uint64_t number[TINY_EVENTS]; /* of each event within its thread */
	uint64_t fork[TINY_THREADS], end[TINY_THREADS];
	bool begun[TINY_THREADS];
	int event_of[TINY_THREADS + 1][NUMBERS]; /* [tid][number]: event + 1 */
	/* A cut under way. */
	int cut_at;
	uint64_t ncuts;
	uint64_t ends[TINY_THREADS][3]; /* numbers at the last record ends, newest first */
	struct builder_pair pair[TINY_THREADS];
};

static void thread_begin(struct writer *w, int u)
{
	if (w->begun[u])
		return;
	w->begun[u] = true;
	builder_thread(w->b, (uint32_t)u + 1, w->fork[u] ? (uint32_t)(w->fork[u] >> 32) : 0,
		       w->fork[u] & UINT32_MAX);
}

static uint64_t value_at(const struct writer *w, const struct tiny_event *e)
{
	unsigned low = 2 * (unsigned)e->obj;

	if (e->cells >> low == 3)
		return w->half[low] | (uint64_t)w->half[low + 1] << 32;
	return w->half[e->cells >> low == 1 ? low : low + 1];
}

static void value_put(struct writer *w, const struct tiny_event *e, uint32_t value)
{
	for (int c = 0; c < TINY_CELLS; c++)
		if (e->cells >> c & 1)
			w->half[c] = value;
}

static unsigned feeds_of(const struct writer *w, const struct tiny_event *e, uint64_t *feeds)
{
	unsigned n = 0;

	for (int i = 0; i < w->t->n; i++)
		if (e->feeds >> i & 1)
			feeds[n++] = w->number[i];
	return n;
}

static void access_write(struct writer *w, const struct tiny_event *e, int i)
{
	uint32_t tid = (uint32_t)e->thread + 1, site = (uint32_t)e->loc;
	unsigned half = e->cells >> 2 * e->obj, n;
	uint64_t addr = VARS + 8 * (uint64_t)e->obj + (half == 2 ? 4 : 0), feeds[TINY_EVENTS];
	unsigned size = half == 3 ? 8 : 4;
	struct version *v = &w->word[e->obj];

	if (e->op == TINY_READ) {
		builder_read(w->b, tid, site, addr, size, v, value_at(w, e),
			     e->free ? FORMAT_READ_FREE : 0);
		return;
	}
	value_put(w, e, (uint32_t)i + 1);
	n = feeds_of(w, e, feeds);
	builder_write(w->b, tid, site, addr, size, v, value_at(w, e), 0, feeds, n);
	*v = (struct version){ tid, builder_tseq(w->b, tid) };
}

static void use_write(struct writer *w, const struct tiny_event *e)
{
	uint32_t tid = (uint32_t)e->thread + 1;
	uint64_t feeds[TINY_EVENTS];
	unsigned n = feeds_of(w, e, feeds);

	builder_begin(w->b, tid);
	builder_put(w->b, (uint64_t)e->loc);
	builder_put(w->b, n);
	for (unsigned k = 0; k < n; k++)
		builder_put(w->b, builder_tseq(w->b, tid) + 1 - feeds[k]);
	builder_end(w->b, FORMAT_K_USE, 0, 1);
}

static void lock_write(struct writer *w, const struct tiny_event *e)
{
	static const unsigned kinds[] = { [TINY_ACQ] = FORMAT_K_ACQ,
					  [TINY_REL] = FORMAT_K_REL,
					  [TINY_RACQ] = FORMAT_K_RACQ,
					  [TINY_RREL] = FORMAT_K_RREL };
	uint32_t tid = (uint32_t)e->thread + 1;
	unsigned aux = (w->rwlock[e->obj] ? FORMAT_LOCK_RWLOCK : FORMAT_LOCK_MUTEX) |
		       (e->try ? FORMAT_LOCK_TRY : 0) | (e->in_wait ? FORMAT_LOCK_WAIT : 0);

	builder_sync(w->b, tid, kinds[e->op], aux, (uint32_t)e->loc, LOCKS + 8 * (uint64_t)e->obj,
		     w->lock[e->obj], 0, 0, 0);
	w->lock[e->obj] = (struct version){ tid, builder_tseq(w->b, tid) };
}

static void wait_write(struct writer *w, const struct tiny_event *e)
{
	static const unsigned kinds[] = { [TINY_PARK] = FORMAT_K_PARK,
					  [TINY_WAKE] = FORMAT_K_WAKE,
					  [TINY_SIGNAL] = FORMAT_K_SIGNAL,
					  [TINY_BROADCAST] = FORMAT_K_BROADCAST };
	uint32_t tid = (uint32_t)e->thread + 1;
	uint64_t a = 1, c = 0;
	unsigned nargs = 1;

	if (e->op == TINY_PARK)
		a = LOCKS + 8 * (uint64_t)e->lock;
	if (e->op == TINY_WAKE) {
		nargs = 2;
		a = e->cause == TINY_NONE ? 0 : (uint64_t)w->t->at[e->cause].thread + 1;
		c = e->cause == TINY_NONE ? 0 : w->number[e->cause];
	}
	builder_sync(w->b, tid, kinds[e->op], e->op == TINY_PARK && e->try ? FORMAT_WAIT_TIMED : 0,
		     (uint32_t)e->loc, CONDS + 8 * (uint64_t)e->obj, w->cond[e->obj], nargs, a, c);
	w->cond[e->obj] = (struct version){ tid, builder_tseq(w->b, tid) };
}

static void join_write(struct writer *w, const struct tiny_event *e)
{
	thread_begin(w, e->obj);
	if (w->end[e->obj] == 0)
		w->end[e->obj] = builder_thread_end(w->b, (uint32_t)e->obj + 1);
	builder_join(w->b, (uint32_t)e->thread + 1, (uint32_t)e->obj + 1, w->end[e->obj]);
}

static void event_write(struct writer *w, int i)
{
	const struct tiny_event *e = &w->t->at[i];
	uint32_t tid = (uint32_t)e->thread + 1;

	thread_begin(w, e->thread);
	switch (e->op) {
	case TINY_READ:
	case TINY_WRITE:
		access_write(w, e, i);
		break;
	case TINY_USE:
		use_write(w, e);
		break;
	case TINY_FORK:
		w->fork[e->obj] =
			(uint64_t)tid << 32 | builder_fork(w->b, tid, (uint32_t)e->obj + 1);
		break;
	case TINY_JOIN:
		join_write(w, e);
		break;
	case TINY_ACQ:
	case TINY_REL:
	case TINY_RACQ:
	case TINY_RREL:
		lock_write(w, e);
		break;
	default:
		wait_write(w, e);
		break;
	}
	w->number[i] = builder_tseq(w->b, tid);
	w->event_of[tid][w->number[i]] = i + 1;
}

/* One thread's count, a little out of date, or all of them to the file. */
static void cut_step(struct writer *w)
{
	if (w->cut_at < w->t->nthreads) {
		int u = w->cut_at++;
		uint64_t n = w->ends[u][tiny_below(&w->rng, 3)];

		w->pair[u].tid = (uint32_t)u + 1;
		if (n > w->pair[u].tseq)
			w->pair[u].tseq = n;
		return;
	}
	w->cut_at = 0;
	builder_cut(w->b, ++w->ncuts, w->pair, (size_t)w->t->nthreads);
}

static void ends_note(struct writer *w)
{
	for (int u = 0; u < w->t->nthreads; u++) {
		uint64_t n = builder_tseq(w->b, (uint32_t)u + 1);

		if (n == w->ends[u][0])
			continue;
		memmove(&w->ends[u][1], &w->ends[u][0], 2 * sizeof(w->ends[u][0]));
		w->ends[u][0] = n;
	}
}

static void recording_write(struct writer *w, const struct tiny *t, uint64_t seed)
{
	memset(w, 0, sizeof(*w));
	w->t = t;
	w->b = builder_new(0);
	w->rng.state = seed;
	for (int i = 0; i < t->n; i++)
		w->rwlock[t->at[i].obj] |= t->at[i].op == TINY_RACQ;
	for (int i = 0; i < t->n; i++) {
		event_write(w, i);
		ends_note(w);
		for (unsigned k = tiny_below(&w->rng, 5); k > 0; k--)
			cut_step(w);
		if (tiny_chance(&w->rng, 10))
			builder_close_chunk(w->b, (uint32_t)t->at[i].thread + 1, 0);
	}
	for (int u = 0; u < t->nthreads; u++)
		if (w->begun[u] && w->end[u] == 0)
			builder_thread_end(w->b, (uint32_t)u + 1);
	builder_finish(w->b, 0);
}

/* ---- a window ---- */

struct window {
	struct trial *x;
	const struct writer *w;
	struct trace_options how;
	int event_at[400]; /* [pos]: event + 1; 0: none of the trace */
};

static bool window_read(struct window *v)
{
	struct selfcheck_result result;
	struct diag d = { 0 };
	struct trace *t;
	struct event e;

	if (trace_open(v->x->path, &v->how, &t, &d) != ST_OK)
		return false;
	while (trace_next(t, &e, &d) == ST_OK) {
		if (e.pos < 400 && e.tseq < NUMBERS && e.tid <= TINY_THREADS)
			v->event_at[e.pos] = v->w->event_of[e.tid][e.tseq];
		events += e.tseq != 0;
	}
	trace_close(t);
	if (trace_open(v->x->path, &v->how, &t, &d) != ST_OK)
		return false;
	if (selfcheck_run(t, &result, &d) != ST_OK || result.contradiction) {
		inconsistent++;
		trial_complain(v->x, result.contradiction ? result.what : d.message);
	}
	trace_close(t);
	windows++;
	return true;
}

static void ask(const struct window *v, struct engine_result *out)
{
	struct model_options mopt = { 0 };
	struct engine_options opt[NROWS];
	struct model *m = model_new(&mopt);
	struct engine_run *run;
	struct step_batch b;
	struct diag d = { 0 };
	struct trace *t;
	struct steps *s;
	void *self[NROWS];

	if (trace_open(v->x->path, &v->how, &t, &d) != ST_OK)
		BUG("%s", d.message);
	s = steps_new(t, NULL);
	for (size_t i = 0; i < NROWS; i++) {
		opt[i] = (struct engine_options){ .strict = rows[i].strict, .all_pairs = true };
		self[i] = NULL;
		if (engine_find(rows[i].engine)->begin)
			self[i] = engine_find(rows[i].engine)
					  ->begin(engine_find(rows[i].engine), &opt[i]);
	}
	while (steps_next(s, &b, &d) == ST_OK) {
		for (size_t i = 0; i < NROWS; i++)
			if (engine_find(rows[i].engine)->steps)
				engine_find(rows[i].engine)->steps(self[i], &b);
		model_take(m, &b);
	}
	steps_free(s);
	trace_close(t);
	model_finish(m);
	model_check(m);
	run = engine_run_new(m);
	for (size_t i = 0; i < NROWS; i++) {
		const struct engine *e = engine_find(rows[i].engine);

		if (e->search)
			e->search(e, run, &opt[i], &out[i]);
		else
			e->end(self[i], &out[i]);
	}
	engine_run_free(run);
	model_free(m);
}

static bool is_deadlock(const struct enumeration *all, uint32_t set)
{
	const struct deadlock *d;
	int n;

	d = enumeration_deadlocks(all, &n);
	for (int i = 0; i < n; i++)
		if (d[i].events == set)
			return true;
	return false;
}

/* Does the whole run have it? */
static bool is_right(const struct window *v, const struct row *row, const struct finding *f)
{
	const struct enumeration *all = v->x->all[row->strict ? WANT_STRICT : WANT_DEP];
	int at[FINDING_EVENTS];
	uint32_t set = 0;

	for (uint32_t i = 0; i < f->nevents; i++) {
		at[i] = f->events[i] < 400 ? v->event_at[f->events[i]] - 1 : -1;
		if (at[i] < 0)
			return false;
		set |= 1u << at[i];
	}
	switch (f->kind) {
	case FINDING_RACE:
		races++;
		return pairs_has(enumeration_races(all), at[0], at[1]);
	case FINDING_DEADLOCK:
	case FINDING_JOIN_HOLDING:
		deadlocks++;
		return is_deadlock(all, set);
	default:
		waits++;
		return pairs_has(enumeration_waits(all, f->kind == FINDING_LOST_WAKEUP
								? WAIT_LOST
								: WAIT_HOLDING),
				 at[0], at[1]);
	}
}

static void complain(const struct window *v, const struct row *row, const struct finding *f,
		     const char *how)
{
	char what[300];
	int n = snprintf(what, sizeof(what), "cuts %llu:%llu: %s%s: %s of",
			 (unsigned long long)v->how.from_cut, (unsigned long long)v->how.to_cut,
			 row->engine, row->strict ? ", strict" : "", finding_kind_name(f->kind));

	for (uint32_t i = 0; i < f->nevents; i++)
		n += snprintf(what + n, sizeof(what) - (size_t)n, " %d",
			      f->events[i] < 400 ? v->event_at[f->events[i]] : -1);
	snprintf(what + n, sizeof(what) - (size_t)n, " %s", how);
	trial_complain(v->x, what);
}

static bool is_certified(const struct window *v, const struct row *row, const struct finding *f)
{
	struct evidence_options opt = { 0 };
	struct check_verdict verdict = { 0 };
	struct check_order order = { 0 };
	struct evidence *ev = NULL;
	struct diag d = { 0 };
	struct checker *c;
	struct trace *t;
	bool good;

	if (trace_open(v->x->path, &v->how, &t, &d) != ST_OK)
		return false;
	if (evidence_load(t, &opt, &ev, &d) != ST_OK)
		BUG("%s", d.message);
	evidence_check(ev);
	c = checker_new(ev);
	good = check_expand(ev, &f->schedule, &order);
	if (good) {
		struct check_claim claim = { .kind = f->kind,
					     .targets = f->events,
					     .ntargets = f->nevents,
					     .order = order.at.at,
					     .norder = order.at.n,
					     .strict = row->strict };

		checker_run(c, &claim, &verdict);
		good = verdict.certified;
		check_verdict_release(&verdict);
	}
	VEC_RELEASE(&order.at);
	checker_free(c);
	evidence_free(ev);
	trace_close(t);
	return good;
}

static void window_judge(struct window *v)
{
	struct engine_result r[NROWS];

	memset(r, 0, sizeof(r));
	ask(v, r);
	for (size_t i = 0; i < NROWS; i++) {
		for (size_t k = 0; k < r[i].findings.at.n; k++) {
			const struct finding *f = &r[i].findings.at.at[k];

			late_findings += v->how.from_cut != 0;
			if (!is_right(v, &rows[i], f)) {
				wrong++;
				complain(v, &rows[i], f, "is none in the whole run");
			}
			if (f->claimed && !is_certified(v, &rows[i], f)) {
				unproven++;
				complain(v, &rows[i], f, "is not proven");
			}
		}
		engine_result_release(&r[i]);
	}
}

/* ---- all ---- */

static const unsigned features[] = {
	0,
	TINY_FACTS,
	TINY_LOCKING,
	TINY_FACTS | TINY_RWLOCKS,
	TINY_LOCKING | TINY_TRIES,
	TINY_WAITS,
	TINY_FACTS | TINY_HALVES,
	TINY_WAITS | TINY_LOCKING | TINY_FACTS,
};

static void trace_check(uint64_t seed)
{
	static struct trial x;
	static struct writer w;
	const uint8_t *bytes;
	size_t n;

	memset(&x, 0, sizeof(x));
	x.seed = seed;
	tiny_random(&x.t, seed, 12 + (int)(seed / 8 % 15), features[seed % 8]);
	tiny_print(&x.t, x.text, sizeof(x.text));
	x.all[WANT_STRICT] = enumerate(&x.t, (struct enumerate_mode){ .strict = true }, STATES);
	x.all[WANT_DEP] = enumerate(&x.t, (struct enumerate_mode){ 0 }, STATES);
	recording_write(&w, &x.t, seed);
	bytes = builder_bytes(w.b, &n);
	x.fd = memfd_create("trace", MFD_CLOEXEC);
	snprintf(x.path, sizeof(x.path), "/proc/self/fd/%d", x.fd);
	if (x.fd < 0 || write(x.fd, bytes, n) != (ssize_t)n)
		BUG("no memory file");
	for (uint64_t from = 0; from <= w.ncuts && from < 4; from++) {
		struct window v = { .x = &x, .w = &w, .how = { .from_cut = from } };

		if (from % 2 && tiny_chance(&w.rng, 50))
			v.how.to_cut = from + 1 + tiny_below(&w.rng, 4);
		if (window_read(&v))
			window_judge(&v);
	}
	builder_free(w.b);
	trial_end(&x);
}

int main(void)
{
	struct trial_seeds seeds = trial_seeds(TRACES, TRACES_LONG);

	for (uint64_t k = seeds.from; k < seeds.from + seeds.n; k++)
		trace_check(k);
	TAP_EQ(wrong, 0, "%u races, %u deadlocks, %u waits in %u windows are in the whole run",
	       races, deadlocks, waits, windows);
	TAP_EQ(unproven, 0, "and the checker agrees");
	TAP_EQ(inconsistent, 0, "windows are consistent");
	printf("# %u events, %u findings in windows that begin in the middle\n", events,
	       late_findings);
	return tap_done();
}
