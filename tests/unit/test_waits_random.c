/*
 * Waits and signals of random tiny runs, held to all their reorderings.
 *
 * A run has three threads, two locks, a condition and two variables.  The naive side walks every
 * reordering by the definition and notes which waits can be next with which signals unheard, and
 * which waits can be next, or have begun without a signal since, together with which acquires.
 * Then
 *
 *	wait-holding-lock	is within it; all is found where the wait is next, and nearly all
 *				where it has begun (waits_order.c says what is not)
 *	lost-wakeup		is within it; of what is sure nearly all is found
 *
 * and no schedule is refused by the checker.
 *
 * Environment: LONG=1 more runs; SEED=N only that one, printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "predict/waits_priv.h"
#include "tap.h"
#include "trace/trace.h"
#include "waits_run.h"
#include "witness/check.h"
#include "witness/evidence.h"

#define RUNS 20000
#define RUNS_LONG 200000
#define STATES (1u << 22)

/* ---- all reorderings ---- */

struct table {
	bool at[WAITS_EVENTS][WAITS_EVENTS];
};

struct walk {
	const struct waits_run *r;
	bool strict;
	/* [signal][release], [acquire][release]: reached; and with all signals of others in */
	struct table lost, lost_all, hold, hold_all;
	struct table sleep, sleep_all; /* as hold, with the wait begun */
	uint64_t *known;	       /* states that were seen; 0 free */
	VEC(size_t) used;	       /* places in known */
};

struct state {
	int done[WAITS_THREADS], last[WAITS_VARS];
	uint32_t unheard, armed; /* bits of events: signals that met nobody; wakes that may come */
	uint32_t called;	 /* threads that wait and were signalled */
};

static bool is_in(const struct walk *w, const struct state *s, int e)
{
	const struct waits_deed *v = &w->r->at[e];

	for (int i = 0; i < s->done[v->thread]; i++)
		if (w->r->list[v->thread][i] == e)
			return true;
	return false;
}

static int next_of(const struct walk *w, const struct state *s, int t)
{
	return s->done[t] < w->r->len[t] ? w->r->list[t][s->done[t]] : WAITS_NONE;
}

static int owner_of(const struct walk *w, const struct state *s, int lock)
{
	for (int t = 0; t < WAITS_THREADS; t++) {
		int held = 0;

		for (int i = 0; i < s->done[t]; i++) {
			const struct waits_deed *e = &w->r->at[w->r->list[t][i]];

			if (e->obj == lock && (e->op == ACQ || e->op == REL))
				held = e->op == ACQ;
		}
		if (held)
			return t;
	}
	return WAITS_NONE;
}

/* Waiting begins with the release, and ends with the wake. */
static bool is_waiting(const struct walk *w, const struct state *s, int t)
{
	const struct waits_deed *e = s->done[t] ? &w->r->at[w->r->list[t][s->done[t] - 1]] : NULL;

	return e && (e->op == PARK || (e->op == REL && e->in_wait));
}

static bool is_signal(const struct waits_deed *e)
{
	return e->op == SIGNAL || e->op == BROADCAST;
}

static bool can_run(const struct walk *w, const struct state *s, int e)
{
	const struct waits_deed *v = &w->r->at[e];

	if (v->op == ACQ)
		return owner_of(w, s, v->obj) == WAITS_NONE;
	if (v->op == READ)
		return (v->free && !w->strict) || s->last[v->obj] == v->from;
	return v->op != WAKE || (s->armed >> e & 1);
}

static void run_one(const struct walk *w, struct state *s, int e)
{
	const struct waits_deed *v = &w->r->at[e];
	bool heard = false;

	if (v->op == WRITE)
		s->last[v->obj] = e;
	if (v->op == WAKE)
		s->called &= ~(1u << v->thread);
	if (is_signal(v)) {
		for (int t = 0; t < WAITS_THREADS; t++) {
			heard |= is_waiting(w, s, t);
			s->called |= is_waiting(w, s, t) ? 1u << t : 0;
		}
		s->unheard |= heard ? 0 : 1u << e;
		for (int k = 0; k < w->r->n; k++)
			if (w->r->at[k].op == WAKE && w->r->at[k].from == e &&
			    is_in(w, s, w->r->at[k].park))
				s->armed |= 1u << k;
	}
	s->done[v->thread]++;
}

/* All signals are in but for those of two threads. */
static bool all_in(const struct walk *w, const struct state *s, int t1, int t2)
{
	for (int e = 0; e < w->r->n; e++)
		if (is_signal(&w->r->at[e]) && w->r->at[e].thread != t1 &&
		    w->r->at[e].thread != t2 && !is_in(w, s, e))
			return false;
	return true;
}

/* The thread has the lock and, in the run, does not give it back. */
static bool keeps(const struct walk *w, const struct state *s, int t, int lock)
{
	for (int i = s->done[t]; i < w->r->len[t]; i++)
		if (w->r->at[w->r->list[t][i]].op == REL && w->r->at[w->r->list[t][i]].obj == lock)
			return false;
	return owner_of(w, s, lock) == t;
}

/*
 * Threads t1, who waits with no lock but g, and t2 are stuck.  Does any other that waited when the run ended go
 * on: by a lock that is free, or may get free, or as it was signalled?
 */
static bool one_goes_on(const struct walk *w, const struct state *s, int t1, int t2)
{
	for (int t = 0; t < WAITS_THREADS; t++) {
		int last = w->r->len[t] ? w->r->list[t][w->r->len[t] - 1] : WAITS_NONE, lock;
		bool kept;

		if (t == t1 || t == t2 || last == WAITS_NONE)
			continue;
		if (w->r->at[last].op == PARK && (s->called >> t & 1))
			return true;
		if (w->r->at[last].op != REQ)
			continue;
		lock = w->r->at[last].obj;
		kept = (lock == 0 && owner_of(w, s, lock) == t1) ||
		       (t2 != t1 && owner_of(w, s, lock) == t2);
		for (int u = 0; u < WAITS_THREADS; u++)
			kept |= u != t && u != t1 && keeps(w, s, u, lock);
		if (!kept)
			return true;
	}
	return false;
}

static bool signals_after(const struct walk *w, int e)
{
	for (int k = e + 1; k < w->r->n; k++)
		if (w->r->at[k].thread == w->r->at[e].thread && is_signal(&w->r->at[k]))
			return true;
	return false;
}

/* The recorded run ended with this request and that wait; the first thread is one of the two. */
static bool is_hung(const struct walk *w, int req, int rel)
{
	int u = w->r->at[req].thread, t = w->r->at[rel].thread, first = w->r->at[0].thread;

	return w->r->list[t][w->r->len[t] - 1] == rel + 1 && (first == u || first == t);
}

/* Who asks for g, which thread t holds, and would signal. */
static void note_holding(struct walk *w, const struct state *s, int t, int rel, struct table *some,
			 struct table *all)
{
	for (int u = 0; u < WAITS_THREADS; u++) {
		int a = next_of(w, s, u);

		if (u == t || a == WAITS_NONE || w->r->at[a].obj != 0 || owner_of(w, s, 0) != t)
			continue;
		if (w->r->at[a].op == REQ ? !is_hung(w, a, rel)
					  : w->r->at[a].op != ACQ || !signals_after(w, a))
			continue;
		some->at[a][rel] = true;
		all->at[a][rel] |= all_in(w, s, t, u) && !one_goes_on(w, s, t, u);
	}
}

static void note(struct walk *w, const struct state *s)
{
	for (int t = 0; t < WAITS_THREADS; t++) {
		int rel = next_of(w, s, t), last = s->done[t] - 1;

		if (last >= 0 && w->r->at[w->r->list[t][last]].op == PARK && !(s->called >> t & 1))
			note_holding(w, s, t, w->r->list[t][last - 1], &w->sleep, &w->sleep_all);
		if (rel == WAITS_NONE || w->r->at[rel].op != REL || !w->r->at[rel].in_wait)
			continue;
		for (int e = 0; e < w->r->n; e++) {
			if (!is_signal(&w->r->at[e]) || !(s->unheard >> e & 1) ||
			    w->r->at[e].thread == t)
				continue;
			w->lost.at[e][rel] = true;
			w->lost_all.at[e][rel] |= all_in(w, s, t, t) && !one_goes_on(w, s, t, t);
		}
		note_holding(w, s, t, rel, &w->hold, &w->hold_all);
	}
}

static bool is_new(struct walk *w, const struct state *s)
{
	uint64_t key = 1;
	size_t at;

	for (int t = 0; t < WAITS_THREADS; t++)
		key = key * 31 + (uint64_t)s->done[t];
	for (int v = 0; v < WAITS_VARS; v++)
		key = key * 31 + (uint64_t)(s->last[v] + 1);
	key = (key * 0x9e3779b97f4a7c15u ^ s->unheard) * 0x9e3779b97f4a7c15u ^ s->armed;
	key = key * 0x9e3779b97f4a7c15u ^ s->called;
	key = key ? key : 1;
	if (2 * w->used.n >= STATES)
		BUG("too many states");
	for (at = key % STATES; w->known[at]; at = (at + 1) % STATES)
		if (w->known[at] == key)
			return false;
	w->known[at] = key;
	*VEC_PUSH(&w->used) = at;
	return true;
}

static void walk_from(struct walk *w, const struct state *s)
{
	if (!is_new(w, s))
		return;
	note(w, s);
	for (int t = 0; t < WAITS_THREADS; t++) {
		int e = next_of(w, s, t);
		struct state after = *s;

		if (e == WAITS_NONE || !can_run(w, s, e))
			continue;
		run_one(w, &after, e);
		walk_from(w, &after);
	}
}

/* ---- who could signal once more ---- */

/* The events without which e cannot be, itself too. */
static uint32_t needs(const struct walk *w, int e)
{
	const struct waits_deed *v = &w->r->at[e];
	uint32_t set = 1u << e;

	for (int k = e - 1; k >= 0; k--)
		if (w->r->at[k].thread == v->thread) {
			set |= needs(w, k);
			break;
		}
	if (v->from != WAITS_NONE && (v->op == WAKE || w->strict || !v->free))
		set |= needs(w, v->from);
	return set;
}

/* Threads that come no further: their next events, as bits, and the locks that they keep. */
struct stuck {
	uint32_t events;
	unsigned locks;
};

/* The locks that the thread of e has right before it. */
static unsigned held_at(const struct waits_run *r, int e)
{
	unsigned locks = 0;

	for (int k = 0; k < e; k++) {
		if (r->at[k].thread != r->at[e].thread)
			continue;
		if (r->at[k].op == ACQ)
			locks |= 1u << r->at[k].obj;
		else if (r->at[k].op == REL)
			locks &= ~(1u << r->at[k].obj);
	}
	return locks;
}

/* The thread ends, or waits for others that do not go on without those that are stuck. */
static bool is_over(const struct walk *w, const struct stuck *stuck, int t)
{
	for (int i = 0; i < w->r->len[t]; i++) {
		int e = w->r->list[t][i];

		if (needs(w, e) & stuck->events)
			return (stuck->events >> e & 1) || w->r->at[e].op == WAKE ||
			       (held_at(w->r, e) & stuck->locks);
	}
	return true;
}

static bool all_over(const struct walk *w, struct stuck stuck)
{
	for (int t = 0; t < WAITS_THREADS; t++)
		if (!is_over(w, &stuck, t))
			return false;
	return true;
}

/* ---- the engine ---- */

struct answer {
	struct table lost, lost_sure, hold, hold_sure;
	int refused;
};

static struct model *load(const char *path, bool *good)
{
	struct model *m = model_new(&(struct model_options){ 0 });
	struct trace *t = NULL;
	struct diag d = { 0 };
	struct step_batch b;
	struct steps *s;

	*good = trace_open(path, NULL, &t, &d) == ST_OK;
	if (!*good) {
		printf("# %s\n", d.message);
	} else {
		s = steps_new(t, &(struct step_options){ 0 });
		while (steps_next(s, &b, &d) == ST_OK)
			model_take(m, &b);
		steps_free(s);
		trace_close(t);
	}
	model_finish(m);
	model_check(m);
	return m;
}

static void judge(struct checker *c, const struct evidence *ev, const struct finding *f,
		  bool strict, struct answer *out)
{
	int a = (int)f->events[0] - 1, b = (int)f->events[1] - 1;
	bool is_lost = f->kind == FINDING_LOST_WAKEUP;
	struct check_order order = { 0 };
	struct check_verdict v = { 0 };
	struct check_claim claim = {
		.kind = f->kind, .targets = f->events, .ntargets = f->nevents, .strict = strict
	};
	bool second = f->ops[1] == STEP_REL, sure = false;
	int rel = second ? b : a, other = second ? a : b;

	if (f->claimed) {
		if (!check_expand(ev, &f->schedule, &order))
			out->refused++;
		claim.order = order.at.at;
		claim.norder = order.at.n;
		checker_run(c, &claim, &v);
		if (!v.certified)
			printf("# refused: %s\n", v.what);
		out->refused += !v.certified;
		sure = v.certified && !v.doubtful;
		check_verdict_release(&v);
	}
	(is_lost ? &out->lost : &out->hold)->at[other][rel] = true;
	(is_lost ? &out->lost_sure : &out->hold_sure)->at[other][rel] |= sure;
	VEC_RELEASE(&order.at);
}

static bool answer_get(const struct waits_run *r, bool strict, struct answer *out)
{
	struct engine_options opt = { .strict = strict, .jobs = 1 };
	struct engine_result result = { 0 };
	int fd = memfd_create("trace", MFD_CLOEXEC);
	struct trace *trace = NULL;
	struct evidence *ev = NULL;
	struct engine_run *run;
	struct checker *c;
	struct model *m;
	struct diag d = { 0 };
	char path[64];
	bool good;

	memset(out, 0, sizeof(*out));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, r->text, strlen(r->text)) < 0)
		return false;
	m = load(path, &good);
	run = engine_run_new(m);
	waits_search(&engine_waits, run, &opt, &result);
	good = good && trace_open(path, NULL, &trace, &d) == ST_OK &&
	       evidence_load(trace, &(struct evidence_options){ 0 }, &ev, &d) == ST_OK;
	if (good) {
		evidence_check(ev);
		c = checker_new(ev);
		for (size_t i = 0; i < result.findings.at.n; i++)
			judge(c, ev, &result.findings.at.at[i], strict, out);
		checker_free(c);
		evidence_free(ev);
	}
	if (trace)
		trace_close(trace);
	engine_result_release(&result);
	engine_run_free(run);
	model_free(m);
	close(fd);
	return good;
}

/* ---- both ---- */

static struct {
	unsigned runs, lost, lost_sure, missed, hold, hold_sure, over;
	unsigned sleep, hung, overslept; /* surely holding, the wait begun; run hung; not found */
	unsigned wrong, refused;
} tally;

static void complain(const struct waits_run *r, bool strict, const char *what, int a, int b)
{
	static int said;

	if (said++ < 5)
		printf("# %s, %s: %d %d\n%s", strict ? "strict" : "by facts", what, a + 1, b + 1,
		       r->text);
	tally.wrong++;
}

/* The signal ended that wait in the run. */
static bool is_woken_by(const struct waits_run *r, int rel, int signal)
{
	for (int e = 0; e < r->n; e++)
		if (r->at[e].op == WAKE && r->at[e].from == signal && r->at[e].park == rel + 1)
			return true;
	return false;
}

/* The event after the park of a wait, as a bit; 0 none. */
static uint32_t after_park(const struct waits_run *r, int rel)
{
	for (int e = rel + 2; e < r->n; e++)
		if (r->at[e].thread == r->at[rel].thread)
			return 1u << e;
	return 0;
}

static void compare_pair(const struct walk *w, const struct answer *got, int a, int rel)
{
	const struct waits_run *r = w->r;
	unsigned kept = held_at(r, rel) & 1, both = kept | held_at(r, a);
	bool over_lost = all_over(w, (struct stuck){ 1u << rel, kept });
	bool over_hold = all_over(w, (struct stuck){ 1u << rel | 1u << a, both });
	bool over_sleep = all_over(w, (struct stuck){ 1u << a | after_park(r, rel), both });
	bool lost_all = w->lost_all.at[a][rel] && over_lost;
	bool hold_all = w->hold_all.at[a][rel] && over_hold;
	bool sleep_all = w->sleep_all.at[a][rel] && over_sleep;

	tally.lost += got->lost.at[a][rel];
	tally.lost_sure += got->lost_sure.at[a][rel];
	tally.hold += got->hold.at[a][rel];
	tally.hold_sure += got->hold_sure.at[a][rel];
	tally.over += w->lost_all.at[a][rel] && !over_lost;
	if (got->lost.at[a][rel] && !w->lost.at[a][rel])
		complain(r, w->strict, "lost, but never", a, rel);
	if (got->lost_sure.at[a][rel] && !lost_all)
		complain(r, w->strict, "surely lost, but not so", a, rel);
	if (lost_all && !got->lost_sure.at[a][rel] && is_woken_by(r, rel, a))
		tally.missed++;
	if (got->hold.at[a][rel] && !w->hold.at[a][rel] && !w->sleep.at[a][rel])
		complain(r, w->strict, "holding, but never", a, rel);
	if (!got->hold.at[a][rel] && w->hold.at[a][rel])
		complain(r, w->strict, "holding, but not found", a, rel);
	if (got->hold_sure.at[a][rel] && !hold_all && !sleep_all)
		complain(r, w->strict, "surely holding, but not so", a, rel);
	if (!got->hold_sure.at[a][rel] && hold_all)
		complain(r, w->strict, "surely holding, but not found", a, rel);
	tally.sleep += got->hold_sure.at[a][rel] && !hold_all;
	tally.hung += got->hold_sure.at[a][rel] && r->at[a].op == REQ;
	tally.overslept += (w->sleep.at[a][rel] && !got->hold.at[a][rel]) ||
			   (sleep_all && !got->hold_sure.at[a][rel]);
}

static void try_run(const struct waits_run *r, bool strict)
{
	struct walk w = { .r = r, .strict = strict };
	struct state begin = { .last = { WAITS_NONE, WAITS_NONE } };
	static uint64_t *known;
	struct answer got;

	if (!known)
		known = mem_zalloc(STATES * sizeof(*known));
	w.known = known;
	walk_from(&w, &begin);
	for (size_t i = 0; i < w.used.n; i++)
		known[w.used.at[i]] = 0;
	VEC_RELEASE(&w.used);
	if (!answer_get(r, strict, &got)) {
		complain(r, strict, "cannot be read", 0, 0);
		return;
	}
	tally.runs++;
	tally.refused += (unsigned)got.refused;
	if (got.refused)
		complain(r, strict, "refused", 0, 0);
	for (int a = 0; a < r->n; a++)
		for (int b = 0; b < r->n; b++)
			if (r->at[b].op == REL && r->at[b].in_wait && a != b)
				compare_pair(&w, &got, a, b);
}

int main(void)
{
	const char *only = getenv("SEED");
	uint64_t from = only ? strtoull(only, NULL, 0) : 1;
	uint64_t n = only ? 1 : tap_rounds(RUNS, RUNS_LONG);
	struct waits_run r;

	for (uint64_t i = from; i < from + n; i++) {
		waits_run_make(&r, i);
		if (only)
			printf("# %s", r.text);
		if (!strstr(r.text, "park"))
			continue;
		try_run(&r, true);
		if (strchr(r.text, '~'))
			try_run(&r, false);
	}
	printf("# %u runs; lost %u, sure %u, missed %u, may signal again %u\n", tally.runs,
	       tally.lost, tally.lost_sure, tally.missed, tally.over);
	printf("# holding %u, sure %u, of these begun %u, hung %u; begun and missed %u\n",
	       tally.hold, tally.hold_sure, tally.sleep, tally.hung, tally.overslept);
	TAP_EQ(tally.wrong, 0, "waits are as the definition says");
	TAP_EQ(tally.refused, 0, "no schedule is refused");
	if (!only) {
		TAP_OK(tally.lost_sure > n / 100 && tally.hold_sure > n / 1000,
		       "there was something to find");
		TAP_OK(tally.missed * 20 <= tally.lost_sure, "few lost wakeups are missed");
		TAP_OK(tally.sleep > n / 1000 && tally.hung > n / 1000 &&
			       tally.overslept * 20 <= tally.hold,
		       "few waits that have begun are missed");
	}
	return tap_done();
}
