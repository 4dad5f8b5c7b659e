/*
 * Windows between cuts, and traces whose oldest chunks were dropped, on random executions (sim.h).
 *
 * What a window leaves out before its first event of each thread is its past.  The whole trace is
 * read first; then the events of the past, in that order, are replayed on a memory, and after
 * them those of the window.  Every version named must be the current one, and every value read the
 * bytes there: so the past is a run of its own, and the window goes on where it ended.
 *
 * Environment: LONG=1 more executions; SEED=N only that one.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/vec.h"
#include "sim.h"
#include "tap.h"
#include "recording/snapshot.h"
#include "trace/trace.h"
#include "recording/windows.h"
#include "trace_builder.h"
#include "witness/selfcheck.h"

#define MAX_TID 16
#define EXECUTIONS 2500
#define EXECUTIONS_LONG 30000

static char path[64];
static char wrong[3000];

#define WRONG(...)                                                   \
	do {                                                         \
		if (!wrong[0])                                       \
			snprintf(wrong, sizeof(wrong), __VA_ARGS__); \
	} while (0)

/* ---- events, kept ---- */

struct kept {
	struct event e;
	struct version refs[SIM_WORDS + 4];
	uint8_t value[8 * (SIM_WORDS + 4)], old[8];
};

struct events {
	VEC(struct kept *) at;
	struct trace_info info;
};

static void events_release(struct events *v)
{
	for (size_t i = 0; i < v->at.n; i++)
		mem_free(v->at.at[i]);
	VEC_RELEASE(&v->at);
}

static void event_keep(struct events *v, const struct event *e)
{
	struct kept *k = mem_zalloc(sizeof(*k));

	k->e = *e;
	if (e->nrefs)
		memcpy(k->refs, e->refs, e->nrefs * sizeof(k->refs[0]));
	if (e->value)
		memcpy(k->value, e->value, e->len);
	if (e->old)
		memcpy(k->old, e->old, e->len);
	k->e.refs = k->refs;
	k->e.value = e->value ? k->value : NULL;
	k->e.old = e->old ? k->old : NULL;
	*VEC_PUSH(&v->at) = k;
}

static void events_read(struct events *v, const char *name, const struct trace_options *opt)
{
	struct diag d = { { 0 } };
	struct trace *t;
	struct event e;
	enum status st;

	memset(v, 0, sizeof(*v));
	st = trace_open(name, opt, &t, &d);
	if (st != ST_OK) {
		WRONG("cannot open: %s", d.message);
		return;
	}
	while ((st = trace_next(t, &e, &d)) == ST_OK) {
		if (e.pos != v->at.n + 1)
			WRONG("position %llu comes as number %zu", (unsigned long long)e.pos,
			      v->at.n + 1);
		event_keep(v, &e);
	}
	if (st != ST_END)
		WRONG("reading ends with %d %s", st, d.message);
	v->info = trace_info(t);
	v->info.notes = NULL;
	trace_close(t);
}

/* ---- replaying ---- */

struct replay {
	struct sim_memory m;
	uint64_t past[MAX_TID + 1]; /* last event of each thread that is past */
	uint64_t last[MAX_TID + 1]; /* last event replayed */
	bool present;
	uint32_t owner[2]; /* of the locks */
	unsigned held;	   /* acquires at the start */
	bool begun[MAX_TID + 1], ended[MAX_TID + 1];
};

static bool is_current(const struct replay *r, uint64_t addr, struct version v)
{
	uint32_t tid = SIM_WORD(&r->m, addr)->tid;
	uint64_t tseq = SIM_WORD(&r->m, addr)->tseq;

	if (r->present && v.tid == 0)
		return tseq <= r->past[tid];
	return v.tid == tid && v.tseq == tseq;
}

static void words_replay(struct replay *r, const struct event *e, bool reads, bool writes)
{
	bool ranged = e->flags & EVENT_RANGE;
	const uint8_t *saw = e->op == EVENT_RMW ? e->old : e->value;

	for (uint32_t i = 0; i < e->nrefs; i++) {
		uint64_t addr = i == 0 ? e->addr : ((e->addr >> 3) + i) << 3;

		if (!is_current(r, addr, e->refs[i]) && !(e->flags & EVENT_UNKNOWN))
			WRONG("%s pos %llu: T%u #%llu %s names T%u #%llu at %llx, current is T%u #%llu",
			      r->present ? "window" : "past", (unsigned long long)e->pos, e->tid,
			      (unsigned long long)e->tseq, event_op_name(e->op), e->refs[i].tid,
			      (unsigned long long)e->refs[i].tseq, (unsigned long long)addr,
			      SIM_WORD(&r->m, addr)->tid,
			      (unsigned long long)SIM_WORD(&r->m, addr)->tseq);
		if (writes) {
			SIM_WORD(&r->m, addr)->tid = e->tid;
			SIM_WORD(&r->m, addr)->tseq = e->tseq + (ranged ? i : 0);
		}
	}
	for (uint64_t k = 0; k < e->len && reads && !(e->flags & EVENT_UNKNOWN); k++)
		if (saw[k] != SIM_WORD(&r->m, e->addr + k)->byte[(e->addr + k) & 7])
			WRONG("T%u #%llu reads a wrong value", e->tid, (unsigned long long)e->tseq);
	for (uint64_t k = 0; k < e->len && writes && e->value; k++)
		SIM_WORD(&r->m, e->addr + k)->byte[(e->addr + k) & 7] = e->value[k];
}

static void forget(struct replay *r, const struct event *e, bool bytes)
{
	for (uint64_t a = e->addr; a < e->addr + e->len; a += 8) {
		SIM_WORD(&r->m, a)->tid = 0;
		SIM_WORD(&r->m, a)->tseq = 0;
		if (bytes)
			memset(SIM_WORD(&r->m, a)->byte, 0, 8);
	}
}

static void lock_replay(struct replay *r, const struct event *e)
{
	uint32_t *owner = &r->owner[(e->addr - SIM_LOCKS) >> 3];
	struct event one = *e;

	one.len = 0;
	words_replay(r, &one, false, e->op == EVENT_ACQ || e->op == EVENT_REL);
	if (e->op == EVENT_ACQ) {
		if (*owner)
			WRONG("T%u takes a lock that T%u has", e->tid, *owner);
		*owner = e->tid;
	} else if (e->op == EVENT_REL) {
		if (*owner != e->tid)
			WRONG("T%u releases a lock that T%u has", e->tid, *owner);
		*owner = 0;
	}
}

static uint64_t numbers_of(const struct event *e)
{
	return e->flags & EVENT_RANGE ? e->nrefs : 1;
}

static void event_replay(struct replay *r, const struct event *e)
{
	if (!(e->flags & EVENT_REREAD)) {
		if (e->tseq != r->last[e->tid] + 1)
			WRONG("T%u goes from #%llu to #%llu", e->tid,
			      (unsigned long long)r->last[e->tid], (unsigned long long)e->tseq);
		r->last[e->tid] = e->tseq + numbers_of(e) - 1;
	}
	switch (e->op) {
	case EVENT_READ:
		words_replay(r, e, true, false);
		break;
	case EVENT_WRITE:
		words_replay(r, e, false, true);
		break;
	case EVENT_RMW:
		words_replay(r, e, true, true);
		break;
	case EVENT_FREE:
		words_replay(r, e, false, true);
		if (e->nrefs == 0)
			forget(r, e, true);
		break;
	case EVENT_ALLOC:
		if (e->nrefs == 0)
			forget(r, e, true);
		break;
	case EVENT_ACQ:
	case EVENT_REL:
	case EVENT_TRYFAIL:
	case EVENT_REQ:
		lock_replay(r, e);
		break;
	case EVENT_THREAD_BEGIN:
		forget(r, e, false);
		if (e->peer && r->last[e->peer] < e->peer_tseq)
			WRONG("T%u begins before its fork", e->tid);
		break;
	case EVENT_JOIN:
		if (r->last[e->peer] < e->peer_tseq)
			WRONG("T%u is joined before its end", e->peer);
		break;
	default:
		break;
	}
}

/* The events at the start: they say what the past has left. */
static void start_replay(struct replay *r, const struct event *e)
{
	switch (e->op) {
	case EVENT_THREAD_BEGIN:
		if (r->last[e->tid] == 0)
			WRONG("T%u is said to run and has not begun", e->tid);
		r->begun[e->tid] = true;
		break;
	case EVENT_THREAD_END:
		r->ended[e->tid] = true;
		break;
	case EVENT_ACQ:
		if (r->owner[(e->addr - SIM_LOCKS) >> 3] != e->tid)
			WRONG("T%u is said to hold %llx", e->tid, (unsigned long long)e->addr);
		r->held++;
		break;
	case EVENT_GIVE:
	case EVENT_TAKE:
		if (e->addr != EVENT_GATE)
			WRONG("a gate elsewhere");
		break;
	default:
		WRONG("a start with %s", event_op_name(e->op));
		break;
	}
}

/* ---- a window ---- */

/* The last number of each thread before its first event in the window; of threads without one it is
 * not to be seen, and does not matter: all of it. */
static void past_find(struct replay *r, const struct events *w)
{
	bool seen[MAX_TID + 1] = { false };

	for (unsigned i = 0; i <= MAX_TID; i++)
		r->past[i] = UINT64_MAX;
	for (size_t i = 0; i < w->at.n; i++) {
		const struct event *e = &w->at.at[i]->e;

		if (e->tseq == 0 || seen[e->tid])
			continue;
		seen[e->tid] = true;
		r->past[e->tid] = e->tseq - !(e->flags & EVENT_REREAD);
	}
}

/* Of a thread without events in the window the past ends where something would be missing. */
static void past_settle(struct replay *r, const struct events *all)
{
	bool seen[MAX_TID + 1], again = true;

	for (unsigned i = 0; i <= MAX_TID; i++)
		seen[i] = r->past[i] != UINT64_MAX;
	while (again) {
		again = false;
		for (size_t i = 0; i < all->at.n; i++) {
			const struct event *e = &all->at.at[i]->e;

			bool missing = e->peer_tseq > r->past[e->peer];

			for (uint32_t k = 0; k < e->nrefs; k++)
				missing |= e->refs[k].tseq > r->past[e->refs[k].tid];
			if (!missing || seen[e->tid] || e->tseq > r->past[e->tid])
				continue;
			r->past[e->tid] = e->tseq - 1;
			again = true;
		}
	}
}

static bool is_in_past(const struct replay *r, const struct event *e)
{
	if (e->flags & EVENT_REREAD)
		return e->tseq < r->past[e->tid];
	return e->tseq + numbers_of(e) - 1 <= r->past[e->tid];
}

/* A range of which the past has only the first words. */
static bool is_split(const struct replay *r, const struct event *e)
{
	return !(e->flags & EVENT_REREAD) && !is_in_past(r, e) && e->tseq <= r->past[e->tid];
}

static void piece_replay(struct replay *r, const struct event *e)
{
	struct event piece = *e;
	uint32_t n = (uint32_t)(r->past[e->tid] - e->tseq + 1);

	piece.nrefs = n;
	piece.len = (((e->addr >> 3) + n) << 3) - e->addr;
	event_replay(r, &piece);
}

/* rest: a window with the same past and no end. */
static void window_replay(const struct events *all, const struct events *w,
			  const struct events *rest, bool late)
{
	struct replay *r = mem_zalloc(sizeof(*r));

	if (late)
		past_find(r, rest);
	if (late)
		past_settle(r, all);
	for (size_t i = 0; i < all->at.n && late; i++) {
		const struct event *e = &all->at.at[i]->e;

		if (is_split(r, e))
			piece_replay(r, e);
		else if (is_in_past(r, e))
			event_replay(r, e);
	}
	r->present = late;
	for (size_t i = 0; i < w->at.n; i++) {
		const struct event *e = &w->at.at[i]->e;

		if (e->tseq == 0 && !(e->flags & EVENT_REREAD))
			start_replay(r, e);
		else
			event_replay(r, e);
	}
	mem_free(r);
}

static void window_selfcheck(const char *name, const struct trace_options *opt)
{
	struct selfcheck_result result;
	struct diag d = { { 0 } };
	struct trace *t;

	if (trace_open(name, opt, &t, &d) != ST_OK)
		return;
	if (selfcheck_run(t, &result, &d) != ST_OK)
		WRONG("self-check: %s", d.message);
	else if (result.contradiction)
		WRONG("self-check: %s", result.what);
	trace_close(t);
}

static struct {
	uint64_t events, windows, unknown, held, empty, snapshots, later;
} tally;

static void tally_add(const struct events *w)
{
	tally.windows++;
	tally.empty += w->at.n == 0;
	for (size_t i = 0; i < w->at.n; i++) {
		const struct event *e = &w->at.at[i]->e;

		tally.events += e->tseq != 0;
		tally.held += e->tseq == 0 && e->op == EVENT_ACQ;
		tally.unknown += (e->flags & EVENT_UNKNOWN) != 0;
	}
}

static void window_check(const struct events *all, uint64_t from, uint64_t to)
{
	struct trace_options opt = { .from_cut = from, .to_cut = to };
	struct trace_options open = { .from_cut = from };
	struct events w, rest;

	events_read(&w, path, &opt);
	events_read(&rest, path, &open);
	window_replay(all, &w, &rest, w.info.late);
	window_selfcheck(path, &opt);
	tally_add(&w);
	events_release(&rest);
	if (w.info.late != (from != 0) || w.info.from_cut != from)
		WRONG("it says that it begins at cut %llu", (unsigned long long)w.info.from_cut);
	events_release(&w);
}

/* The same of a copy that has only what is needed.  It may have to begin later, where threads begin
 * chunks rarely. */
static void snapshot_check(const struct events *all, uint64_t from, uint64_t to)
{
	struct trace_options opt = { .from_cut = from, .to_cut = to };
	struct trace_options open = { .from_cut = from };
	struct snapshot part, tail;
	struct windows source;
	struct events w, rest;

	if (!windows_open(&source, path) || !snapshot_make(&part, &source, from, to) ||
	    !snapshot_make(&tail, &source, from, 0)) {
		WRONG("no snapshot");
		return;
	}
	events_read(&w, part.path, &opt);
	events_read(&rest, tail.path, &open);
	if (w.info.from_cut == rest.info.from_cut)
		window_replay(all, &w, &rest, w.info.late);
	else if (w.info.from_cut < rest.info.from_cut)
		WRONG("two snapshots begin at %llu and %llu", (unsigned long long)w.info.from_cut,
		      (unsigned long long)rest.info.from_cut);
	window_selfcheck(part.path, &opt);
	tally.snapshots++;
	tally.later += w.info.from_cut > from;
	events_release(&w);
	events_release(&rest);
	snapshot_close(&part);
	snapshot_close(&tail);
	windows_close(&source);
}

static unsigned bad;

static bool complain(uint64_t seed, const char *what)
{
	if (!wrong[0])
		return false;
	if (++bad <= 5)
		printf("# SEED=%llu %s: %s\n", (unsigned long long)seed, what, wrong);
	wrong[0] = 0;
	return true;
}

/* ---- dropped chunks ---- */

/*
 * The recording as --keep leaves it: chunks of threads in two areas, those in the first `drop' bytes
 * of such chunks gone.
 */
static size_t keep(const uint8_t *from, size_t n, size_t drop, uint8_t *to)
{
	struct format_file head;
	size_t at = 64, out = 64, area = 0, seen = 0;

	memcpy(&head, from, sizeof(head));
	head.flags |= FORMAT_KEEP;
	memcpy(to, &head, sizeof(head));
	while (at < n) {
		struct format_chunk c;
		size_t len;

		memcpy(&c, from + at, sizeof(c));
		len = 64 + ((c.used + 63u) & ~63u);
		if (c.tid != FORMAT_CONTROL_TID && (seen += len) <= drop) {
			at += len;
			continue;
		}
		if (c.tid != FORMAT_CONTROL_TID && (area == 0 || at / 3000 != area)) {
			struct format_area a = { .magic = FORMAT_AREA, .length = 64 };

			area = at / 3000;
			a.generation = (uint32_t)area;
			memset(to + out, 0, 128); /* the end of the area before */
			memcpy(to + out + 128, &a, sizeof(a));
			out += 192;
		}
		memcpy(to + out, from + at, len);
		out += len;
		at += len;
	}
	return out;
}

static void dropped_check(const struct events *all, const uint8_t *bytes, size_t n, uint64_t *seed)
{
	uint8_t *copy = mem_alloc(n * 8 + 4096);
	size_t size = keep(bytes, n, sim_random(seed) % n, copy);
	struct events w;

	builder_save(path, copy, size);
	events_read(&w, path, NULL);
	window_replay(all, &w, &w, w.info.late);
	window_selfcheck(path, NULL);
	tally_add(&w);
	events_release(&w);
	mem_free(copy);
}

/* ---- all ---- */

static void execution_check(uint64_t seed)
{
	struct builder *b = builder_new(0);
	uint64_t random = seed * 77 + 5, ncuts;
	struct sim_result made;
	struct events all;
	const uint8_t *bytes;
	size_t n;

	sim_run(b, seed, 40 + seed % 500, &made);
	bytes = builder_bytes(b, &n);
	builder_save(path, bytes, n);
	events_read(&all, path, NULL);
	ncuts = all.info.ncuts;
	complain(seed, "whole");
	for (unsigned i = 0; i < 4 && ncuts > 0; i++) {
		uint64_t from = sim_random(&random) % (ncuts + 1);
		uint64_t to = i % 2 ? 0 : from + sim_random(&random) % (ncuts + 1 - from);
		char what[80];

		window_check(&all, from, to);
		snprintf(what, sizeof(what), "cuts %llu:%llu", (unsigned long long)from,
			 (unsigned long long)to);
		complain(seed, what);
		snapshot_check(&all, from, to);
		complain(seed, strcat(what, ", snapshot"));
	}
	dropped_check(&all, bytes, n, &random);
	complain(seed, "dropped");
	events_release(&all);
	builder_free(b);
}

int main(void)
{
	const char *seed = getenv("SEED");
	uint64_t n = tap_rounds(EXECUTIONS, EXECUTIONS_LONG);

	snprintf(path, sizeof(path), "/tmp/foresee-late-%d", (int)getpid());
	if (seed) {
		execution_check(strtoull(seed, NULL, 0));
	} else {
		for (uint64_t i = 0; i < n; i++)
			execution_check(i);
	}
	TAP_EQ(bad, 0, "%llu windows go on where their past ends",
	       (unsigned long long)tally.windows);
	printf("# %llu events, %llu locks held at the start, %llu unknown reads, %llu empty\n",
	       (unsigned long long)tally.events, (unsigned long long)tally.held,
	       (unsigned long long)tally.unknown, (unsigned long long)tally.empty);
	printf("# %llu snapshots, %llu that begin later\n", (unsigned long long)tally.snapshots,
	       (unsigned long long)tally.later);
	if (!seed) {
		TAP_OK(tally.held > tally.windows / 20, "some begin with locks held");
		TAP_OK(tally.empty < tally.windows / 4, "most have events");
	}
	unlink(path);
	return tap_done();
}
