/*
 * Deadlock engines against the enumeration of every reordering (enumerate.h), on random tiny traces,
 * without and with condition waits.
 *
 *	patterns*	miss no predictable deadlock
 *	spd		equals the enumeration that keeps the order of sections
 *	deadlocks	equals the enumeration; without all_pairs it has one finding for each set of
 *			places that has a deadlock, and no other
 *	waits		claims nothing that does not hold; what is sure by the definition is sure to the
 *			checker, and the other way round
 *
 * by the strict and by the dependency-aware model; each claimed schedule is judged by the checker and
 * by the enumeration's own test; answers do not depend on the number of jobs.
 *
 * Environment: LONG=1 more traces; SEED=N only that one, printed; ONLY=spd,waits these engines.
 */
#include <stdio.h>
#include <string.h>

#include "enumerate.h"
#include "predict/engine.h"
#include "tap.h"
#include "tiny.h"
#include "trial.h"
#include "trial_engines.h"

#define TRACES 25000
#define TRACES_LONG 400000
#define SETS 512

/* ABOVE: all that is wanted, and more; PROVEN: nothing is asked but that claims hold. */
enum relation { EQUAL, ABOVE, PLACES, PROVEN };

static const struct row {
	const char *engine;
	bool strict;
	enum wanted wanted;
	enum relation relation;
	enum relation joins; /* the same of circles with a join */
	bool sound;	     /* claims all it finds */
} rows[] = {
	{ "patterns-all", false, WANT_DEP, ABOVE, PROVEN, false },
	{ "patterns-mhb", false, WANT_DEP, ABOVE, PROVEN, false },
	{ "patterns", false, WANT_DEP, ABOVE, PROVEN, false },
	{ "spd", true, WANT_SYNCP_STRICT, EQUAL, PROVEN, true },
	{ "spd", false, WANT_SYNCP_DEP, EQUAL, PROVEN, true },
	{ "deadlocks", true, WANT_STRICT, EQUAL, EQUAL, true },
	{ "deadlocks", false, WANT_DEP, EQUAL, EQUAL, true },
	{ "deadlocks", true, WANT_STRICT, PLACES, PLACES, true },
	{ "deadlocks", false, WANT_DEP, PLACES, PLACES, true },
};
#define NROWS (sizeof(rows) / sizeof(rows[0]))

static struct tally {
	const struct engine *engine; /* NULL: left out by ONLY, or there is none */
	unsigned answers, found, joins, schedules;
	unsigned wrong, unproven, differ; /* answers; schedules; answers by jobs */
} tallies[NROWS], waits[2];

static unsigned wanted[2], of_size[TINY_THREADS + 1]; /* by the enumeration, dep; [1] with joins */

/* Sets of events, as masks. */
struct sets {
	uint32_t at[SETS];
	int n;
};

static bool sets_has(const struct sets *s, uint32_t set)
{
	for (int i = 0; i < s->n; i++)
		if (s->at[i] == set)
			return true;
	return false;
}

static void sets_add(struct sets *s, uint32_t set)
{
	if (s->n < SETS && !sets_has(s, set))
		s->at[s->n++] = set;
}

static bool sets_within(const struct sets *a, const struct sets *b)
{
	for (int i = 0; i < a->n; i++)
		if (!sets_has(b, a->at[i]))
			return false;
	return true;
}

static void sets_format(const struct sets *s, char *out, size_t max)
{
	size_t n = 0;

	for (int i = 0; i < s->n; i++) {
		const char *sep = n ? " " : "";

		for (int e = 0; e < TINY_EVENTS && n + 8 < max; e++) {
			if (!(s->at[i] >> e & 1))
				continue;
			n += (size_t)snprintf(out + n, max - n, "%s%d", sep, e + 1);
			sep = "-";
		}
	}
	if (!n)
		snprintf(out, max, "none");
}

/* The places of a set, ascending, each once: what one finding stands for. */
static void places_of(const struct tiny *t, uint32_t set, int *out)
{
	int n = 0;

	memset(out, 0, TINY_THREADS * sizeof(*out));
	for (int e = 0; e < t->n; e++) {
		int k = n;
		bool again = false;

		for (int i = 0; i < n; i++)
			again |= out[i] == t->at[e].loc;
		if (!(set >> e & 1) || again)
			continue;
		for (; k > 0 && out[k - 1] > t->at[e].loc; k--)
			out[k] = out[k - 1];
		out[k] = t->at[e].loc;
		n++;
	}
}

/* Every set of `some' has one with the same places in `all'. */
static bool places_within(const struct tiny *t, const struct sets *some, const struct sets *all)
{
	for (int i = 0; i < some->n; i++) {
		int here[TINY_THREADS], there[TINY_THREADS];
		bool found = false;

		places_of(t, some->at[i], here);
		for (int k = 0; k < all->n && !found; k++) {
			places_of(t, all->at[k], there);
			found = !memcmp(here, there, sizeof(here));
		}
		if (!found)
			return false;
	}
	return true;
}

static bool is_right(const struct tiny *t, enum relation relation, const struct sets *got,
		     const struct sets *want)
{
	switch (relation) {
	case EQUAL:
		return sets_within(got, want) && sets_within(want, got);
	case ABOVE:
		return sets_within(want, got);
	case PLACES:
		return sets_within(got, want) && places_within(t, want, got);
	default:
		return true;
	}
}

/* want[1]: with joins. */
static void want_sets(const struct trial *x, enum wanted w, struct sets want[2])
{
	const struct deadlock *d;
	int n;

	d = enumeration_deadlocks(x->all[w], &n);
	want[0].n = want[1].n = 0;
	for (int i = 0; i < n; i++)
		sets_add(&want[d[i].joins], d[i].events);
}

static struct engine_options options_of(const struct row *row)
{
	return (struct engine_options){ .strict = row->strict,
					.all_pairs = row->relation != PLACES };
}

static void complain(const struct trial *x, const struct row *row, const struct finding *f)
{
	char what[256];
	size_t n = (size_t)snprintf(what, sizeof(what), "%s%s: %s of", row->engine,
				    row->strict ? ", strict" : "", finding_kind_name(f->kind));

	for (uint32_t i = 0; i < f->nevents; i++)
		n += (size_t)snprintf(what + n, sizeof(what) - n, " %llu",
				      (unsigned long long)f->events[i]);
	snprintf(what + n, sizeof(what) - n, " is not proven");
	trial_complain(x, what);
}

/* `deadlocks' finds waits without end as well; they have no equal here. */
static bool is_circle(const struct finding *f)
{
	return f->kind == FINDING_DEADLOCK || f->kind == FINDING_JOIN_HOLDING;
}

static void judge(const struct trial *x, size_t row, const struct engine_result *r)
{
	struct engine_options opt = options_of(&rows[row]);
	static struct sets got[2], want[2];
	struct tally *y = &tallies[row];
	char what[2048], g[900], w[900];

	got[0].n = got[1].n = 0;
	for (size_t i = 0; i < r->findings.at.n; i++) {
		const struct finding *f = &r->findings.at.at[i];
		uint32_t set = 0;

		for (uint32_t k = 0; k < f->nevents; k++)
			set |= 1u << (f->events[k] - 1);
		if (is_circle(f))
			sets_add(&got[f->kind == FINDING_JOIN_HOLDING], set);
		y->found += f->kind == FINDING_DEADLOCK;
		y->joins += f->kind == FINDING_JOIN_HOLDING;
		y->schedules += f->claimed;
		if (f->claimed ? !trial_proves(x, &opt, f) : rows[row].sound && is_circle(f)) {
			y->unproven++;
			complain(x, &rows[row], f);
		}
	}
	y->answers++;
	want_sets(x, rows[row].wanted, want);
	for (int k = 0; k < 2; k++) {
		if (is_right(&x->t, k ? rows[row].joins : rows[row].relation, &got[k], &want[k]) &&
		    r->truncated.n == 0)
			continue;
		y->wrong++;
		sets_format(&got[k], g, sizeof(g));
		sets_format(&want[k], w, sizeof(w));
		snprintf(what, sizeof(what), "%s%s%s: got %s; enumeration %s", rows[row].engine,
			 rows[row].strict ? ", strict" : "", k ? ", joins" : "", g, w);
		trial_complain(x, r->truncated.n ? r->truncated.at[0] : what);
	}
}

static void take_answer(const struct trial *x, size_t row, struct engine_result *r, bool same)
{
	judge(x, row, r);
	tallies[row].differ += !same;
}

static void try_engines(const struct trial *x)
{
	struct trial_question q[NROWS];

	for (size_t i = 0; i < NROWS; i++)
		q[i] = (struct trial_question){ tallies[i].engine, options_of(&rows[i]) };
	trial_try(x, q, NROWS, take_answer);
}

static void count_wanted(const struct trial *x)
{
	const struct deadlock *d;
	int n;

	d = enumeration_deadlocks(x->all[WANT_DEP], &n);
	for (int i = 0; i < n; i++) {
		wanted[d[i].joins]++;
		of_size[__builtin_popcount(d[i].events)]++;
	}
}

static void try_waits(const struct trial *x)
{
	for (int strict = 0; strict < 2; strict++) {
		struct trial_question q = { waits[strict].engine,
					    { .strict = strict, .all_pairs = true } };
		struct engine_result one = { 0 }, three = { 0 };
		const struct row row = { .engine = "waits", .strict = strict };

		if (!q.engine)
			continue;
		trial_ask(x, &q, 1, 1, &one);
		trial_ask(x, &q, 1, 3, &three);
		waits[strict].differ += !trial_same_findings(&one.findings, &three.findings);
		waits[strict].answers++;
		for (size_t i = 0; i < one.findings.at.n; i++) {
			const struct finding *f = &one.findings.at.at[i];

			waits[strict].found += f->kind == FINDING_LOST_WAKEUP;
			waits[strict].joins += f->kind == FINDING_WAIT_HOLDING;
			waits[strict].schedules += f->claimed;
			if (!f->claimed || trial_proves(x, &q.opt, f))
				continue;
			waits[strict].unproven++;
			complain(x, &row, f);
		}
		engine_result_release(&one);
		engine_result_release(&three);
	}
}

static const struct engine *engine_choose(const char *name)
{
	const struct engine *e = engine_find(name);

	if (!trial_is_wanted(name))
		return NULL;
	if (!e)
		TAP_OK(false, "there is an engine %s", name);
	return e;
}

static unsigned try_traces(bool (*begin)(struct trial *x, uint64_t seed), struct trial_seeds seeds,
			   void (*try)(const struct trial *x))
{
	unsigned unread = 0;

	for (uint64_t k = seeds.from; k < seeds.from + seeds.n; k++) {
		static struct trial x;

		if (begin(&x, k)) {
			if (seeds.n == 1)
				trial_complain(&x, "the trace");
			count_wanted(&x);
			try(&x);
		} else {
			unread++;
		}
		trial_end(&x);
	}
	return unread;
}

static void report(void)
{
	static const char *const how[] = { [EQUAL] = "equal to",
					   [ABOVE] = "no less than",
					   [PLACES] = "one for each set of places of" };

	for (size_t i = 0; i < NROWS; i++) {
		const struct tally *y = &tallies[i];
		char name[64];

		if (!y->engine)
			continue;
		snprintf(name, sizeof(name), "%s%s", rows[i].engine,
			 rows[i].strict ? ", strict" : "");
		TAP_EQ(y->wrong, 0,
		       "%s: %s the enumeration, %u answers, %u deadlocks, %u with joins", name,
		       how[rows[i].relation], y->answers, y->found, y->joins);
		TAP_EQ(y->unproven, 0, "%s: %u schedules hold", name, y->schedules);
		TAP_EQ(y->differ, 0, "%s: jobs do not matter", name);
	}
	for (int strict = 0; strict < 2; strict++) {
		const struct tally *y = &waits[strict];

		if (!y->engine)
			continue;
		TAP_EQ(y->unproven, 0,
		       "waits%s: %u lost wakeups and %u with a lock, %u schedules hold",
		       strict ? ", strict" : "", y->found, y->joins, y->schedules);
		TAP_EQ(y->differ, 0, "waits%s: jobs do not matter", strict ? ", strict" : "");
	}
}

int main(void)
{
	struct trial_seeds seeds = trial_seeds(TRACES, TRACES_LONG), fewer = seeds;
	unsigned unread;

	for (size_t i = 0; i < NROWS; i++)
		tallies[i].engine = engine_choose(rows[i].engine);
	waits[0].engine = waits[1].engine = engine_choose("waits");
	fewer.n = (seeds.n + 3) / 4;
	unread = try_traces(trial_begin_locks, seeds, try_engines);
	if (seeds.n > 1)
		TAP_OK(wanted[0] > seeds.n / 5 && wanted[1] > seeds.n / 20 &&
			       of_size[3] > seeds.n / 200,
		       "%u deadlocks and %u with joins were there; of 2, 3, 4 threads: %u, %u, %u",
		       wanted[0], wanted[1], of_size[2], of_size[3], of_size[4]);
	unread += try_traces(trial_begin_waits, fewer, try_waits);
	unread += try_traces(trial_begin_waits, fewer, try_engines);
	TAP_EQ(unread, 0, "%llu traces are read", (unsigned long long)(seeds.n + 2 * fewer.n));
	report();
	return tap_done();
}
