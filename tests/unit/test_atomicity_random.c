/*
 * triples and atomicity against the enumeration of every reordering (enumerate.h), on random tiny
 * traces with blocks.
 *
 * With all pairs they have every pattern that some reordering shows, and no other; without, triples has
 * one for each set of places of these, and atomicity only such.  By the strict and by the
 * dependency-aware model; each claimed schedule is judged by the checker and by the definition; spoilt ones
 * are judged alike by both; answers do not depend on the number of jobs.
 *
 * Environment: LONG=1 more traces; SEED=N only that one, printed; ONLY=triples this engine.
 */
#include <stdio.h>
#include <string.h>

#include "enumerate.h"
#include "predict/engine.h"
#include "splits_naive.h"
#include "tap.h"
#include "tiny.h"
#include "trial.h"
#include "trial_engines.h"

#define TRACES 20000
#define TRACES_LONG 200000
#define SPLITS 4096
#define MOST_TOLD 50u /* without all pairs */

/* EQUAL: all of it and nothing else; PLACES: one for each set of places, and nothing else; WITHIN; MOST: all
 * pairs are asked for, and so many of 100 are found. */
enum relation { EQUAL, PLACES, WITHIN, MOST };

static const struct row {
	const char *engine;
	bool strict, pairs; /* pairs: those of two variables too */
	enum relation relation;
	unsigned most;
} rows[] = {
	{ "triples", true, false, EQUAL, 0 },	    { "triples", false, false, EQUAL, 0 },
	{ "triples", true, false, PLACES, 0 },	    { "triples", false, false, PLACES, 0 },
	{ "atomicity", true, true, EQUAL, 0 },	    { "atomicity", false, true, EQUAL, 0 },
	{ "atomicity", false, true, WITHIN, 0 },    { "gap", true, true, MOST, 96 },
	{ "gap", false, true, MOST, 96 },	    { "atomicity-osr", true, true, MOST, 95 },
	{ "atomicity-osr", false, true, MOST, 94 }, { "atomicity-sp", true, true, MOST, 90 },
	{ "atomicity-sp", false, true, MOST, 86 },
};
#define NROWS (sizeof(rows) / sizeof(rows[0]))

static struct tally {
	const struct engine *engine; /* NULL: left out by ONLY, or there is none */
	unsigned answers, found;
	unsigned wanted, there;			 /* MOST */
	unsigned wrong, unproven, differ, apart; /* answers; schedules; by jobs; by checkers */
} tallies[NROWS];

static unsigned possible[2], spoilt[2]; /* patterns: triples, others; orders: that hold, not */

/* Patterns of traces with repeated reads.  What runs at the end of an order may not follow a write of what
 * its thread repeats reads of, and the searches do not look for one in which it comes earlier. */
static unsigned repeated, repeated_missed;

/* ---- the definition ---- */

struct splits {
	struct split at[SPLITS];
	bool may[SPLITS]; /* not needed: see forced, and repeated */
	int n;
};

/* By strict: what some reordering shows; triples come first. */
static struct splits wanted[2];
static int ntriples[2];

/* Where there are semaphores: events that come before each other one, whatever is read.  What that brings
 * about is meant, and is no finding if the engine sees it, too. */
static uint32_t forced[TINY_EVENTS];
static bool repeats; /* there are repeated reads */

static void want(void *arg, const struct tiny *t, const struct split *p)
{
	bool may = repeats || ((forced[p->b] >> p->a & 1) && (forced[p->c] >> p->d & 1));

	(void)arg;
	for (int strict = 0; strict < 2; strict++) {
		struct enumerate_mode mode = { .strict = strict };

		if (!enumerate_split(t, p, mode) || wanted[strict].n == SPLITS)
			continue;
		wanted[strict].may[wanted[strict].n] = may;
		wanted[strict].at[wanted[strict].n++] = *p;
		ntriples[strict] += p->b == p->d && (t->at[p->a].cells & t->at[p->c].cells);
	}
}

static bool has_counts(const struct tiny *t)
{
	for (int i = 0; i < t->n; i++)
		if (tiny_counts(&t->at[i]) || t->at[i].op == TINY_TRYFAIL)
			return true;
	return false;
}

static bool has_rereads(const struct tiny *t)
{
	for (int i = 0; i < t->n; i++)
		if (t->at[i].reread)
			return true;
	return false;
}

static void want_all(const struct tiny *t)
{
	repeats = has_rereads(t);
	memset(forced, 0, sizeof(forced));
	if (has_counts(t))
		enumerate_forced(t, forced);
	wanted[0].n = wanted[1].n = ntriples[0] = ntriples[1] = 0;
	splits_each(t, want, NULL);
}

/* ---- answers ---- */

static uint32_t events_of(const struct split *p)
{
	return 1u << p->a | 1u << p->b | 1u << p->c | 1u << p->d;
}

/* The same events may be two patterns; they are one finding. */
static bool splits_has(const struct splits *s, const struct split *p)
{
	for (int i = 0; i < s->n; i++)
		if (events_of(&s->at[i]) == events_of(p))
			return true;
	return false;
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void places_of(const struct tiny *t, const struct split *p, int *out)
{
	const int events[] = { p->a, p->b, p->c, p->d };
	int n = p->b == p->d ? 3 : 4;

	out[3] = -1;
	for (int i = 0; i < n; i++)
		out[i] = t->at[events[i]].loc;
	qsort(out, (size_t)n, sizeof(*out), compare_ints);
}

static bool places_have(const struct tiny *t, const struct splits *s, const struct split *p)
{
	int here[4], there[4];

	places_of(t, p, here);
	for (int i = 0; i < s->n; i++) {
		places_of(t, &s->at[i], there);
		if (memcmp(here, there, sizeof(here)) == 0)
			return true;
	}
	return false;
}

/* Who is who, of a finding's events: the first that is wanted.  False: none is. */
static bool split_of(const struct finding *f, const struct splits *s, int n, struct split *out)
{
	uint32_t events = 0;

	for (uint32_t i = 0; i < f->nevents; i++)
		events |= 1u << (f->events[i] - 1);
	for (int i = 0; i < n; i++) {
		const struct split *p = &s->at[i];

		if (events_of(p) != events)
			continue;
		*out = *p;
		return true;
	}
	return false;
}

static void order_of(const struct trial *x, const struct finding *f, struct check_order *out)
{
	VEC_CLEAR(&out->at);
	if (!check_expand(x->evidence, &f->schedule, out))
		BUG("a schedule names events that do not exist");
}

static bool holds(const struct trial *x, const struct split *p, const struct check_order *order,
		  bool strict)
{
	int ids[TINY_EVENTS];

	for (size_t i = 0; i < order->at.n; i++)
		ids[i] = (int)order->at.at[i] - 1;
	return enumerate_split_order(&x->t, p, ids, (int)order->at.n,
				     (struct enumerate_mode){ .strict = strict });
}

static bool certified(const struct trial *x, const struct finding *f,
		      const struct check_order *order, bool strict)
{
	struct check_claim claim = { .kind = FINDING_ATOMICITY,
				     .targets = f->events,
				     .ntargets = f->nevents,
				     .order = order->at.at,
				     .norder = order->at.n,
				     .strict = strict };

	return trial_certify(x, &claim, NULL);
}

/* Some role that the events can have, by the definition, in that order. */
static bool holds_somehow(const struct trial *x, const struct finding *f,
			  const struct check_order *order, bool strict)
{
	const struct tiny *t = &x->t;
	int e[4], n = (int)f->nevents;

	for (int i = 0; i < n; i++)
		e[i] = (int)f->events[i] - 1;
	for (int k = 0; k < 256; k++) {
		const int at[] = { k & 3, k >> 2 & 3, k >> 4 & 3, k >> 6 & 3 };
		unsigned all = 0;
		struct split p;

		for (int i = 0; i < 4; i++)
			all |= 1u << at[i];
		if (all != (1u << n) - 1)
			continue;
		p = (struct split){ e[at[0]], e[at[1]], e[at[2]], e[at[3]] };
		if (!splits_in_one_block(t, p.a, p.c) || p.a >= p.c ||
		    !splits_conflict(t, p.a, p.b) || !splits_conflict(t, p.d, p.c) ||
		    t->at[p.b].thread != t->at[p.d].thread ||
		    (p.d < p.b && !splits_in_one_block(t, p.d, p.b)))
			continue;
		if ((t->at[p.a].cells & t->at[p.c].cells) &&
		    (p.b != p.d || !splits_is_triple(t, p.a, p.b, p.c)))
			continue;
		if (holds(x, &p, order, strict))
			return true;
	}
	return false;
}

/* Two neighbours change places, or one goes: is it still right? */
static void spoil(const struct trial *x, struct tally *y, const struct finding *f, bool strict)
{
	struct check_order order = { 0 }, bad = { 0 };

	order_of(x, f, &order);
	for (size_t i = 0; i < order.at.n; i++) {
		bool by_checker, by_definition;

		VEC_CLEAR(&bad.at);
		VEC_APPEND(&bad.at, order.at.at, order.at.n);
		if (i + 1 < order.at.n) {
			bad.at.at[i] = order.at.at[i + 1];
			bad.at.at[i + 1] = order.at.at[i];
		} else {
			bad.at.n--;
		}
		by_checker = certified(x, f, &bad, strict);
		by_definition = holds_somehow(x, f, &bad, strict);
		spoilt[!by_definition]++;
		if (by_checker != by_definition) {
			y->apart++;
			trial_complain(x, by_definition ? "a good order is refused"
							: "a bad order is certified");
		}
	}
	VEC_RELEASE_ALL(&order.at, &bad.at);
}

static void complain(const struct trial *x, const struct row *row, const char *what,
		     const struct finding *f, const struct split *p)
{
	char text[256];
	int n = snprintf(text, sizeof(text), "%s%s: %s", row->engine, row->strict ? ", strict" : "",
			 what);

	for (uint32_t i = 0; f && i < f->nevents; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %u", (unsigned)f->events[i]);
	if (p)
		snprintf(text + n, sizeof(text) - (size_t)n, " %d-%d-%d-%d", p->a + 1, p->b + 1,
			 p->d + 1, p->c + 1);
	trial_complain(x, text);
}

static void judge(const struct trial *x, size_t i, struct engine_result *r, bool same)
{
	const struct row *row = &rows[i];
	struct tally *y = &tallies[i];
	const struct splits *w = &wanted[row->strict];
	int nwanted = row->pairs ? w->n : ntriples[row->strict];
	static struct splits got;
	/* One for each set of places may be more than are told. */
	bool all =
		row->relation == EQUAL || (row->relation == PLACES && r->findings.at.n < MOST_TOLD);
	bool wrong = r->truncated.n > 0 && all;
	struct check_order order = { 0 };

	got.n = 0;
	y->answers++;
	y->differ += !same;
	for (size_t k = 0; k < r->findings.at.n; k++) {
		const struct finding *f = &r->findings.at.at[k];
		struct split p;

		y->found++;
		if (!split_of(f, w, nwanted, &p)) {
			wrong = true;
			complain(x, row, "no reordering shows", f, NULL);
			continue;
		}
		got.at[got.n++] = p;
		order_of(x, f, &order);
		if (!certified(x, f, &order, row->strict) ||
		    !holds_somehow(x, f, &order, row->strict)) {
			y->unproven++;
			complain(x, row, "is not proven:", f, NULL);
		}
		if (row->relation == EQUAL)
			spoil(x, y, f, row->strict);
	}
	for (int k = 0; k < nwanted && row->relation == MOST; k++) {
		y->wanted += !w->may[k];
		y->there += !w->may[k] && splits_has(&got, &w->at[k]);
	}
	for (int k = 0; k < nwanted && all; k++) {
		const struct split *p = &w->at[k];
		bool there =
			row->relation == EQUAL ? splits_has(&got, p) : places_have(&x->t, &got, p);

		if (repeats && row->relation == EQUAL) {
			repeated++;
			repeated_missed += !there;
		}
		if (there || w->may[k])
			continue;
		wrong = true;
		complain(x, row, "misses", NULL, p);
	}
	y->wrong += wrong;
	VEC_RELEASE(&order.at);
}

static void report(void)
{
	static const char *const how[] = { "all of", "one for each set of places of", "some of",
					   "most of" };

	for (size_t i = 0; i < NROWS; i++) {
		const struct tally *y = &tallies[i];
		const char *strict = rows[i].strict ? ", strict" : "";

		if (!y->engine)
			continue;
		TAP_EQ(y->wrong, 0, "%s%s: %s the enumeration, %u answers, %u found",
		       rows[i].engine, strict, how[rows[i].relation], y->answers, y->found);
		TAP_EQ(y->unproven, 0, "%s%s: all schedules hold", rows[i].engine, strict);
		TAP_EQ(y->apart, 0, "%s%s: checker and definition agree", rows[i].engine, strict);
		TAP_EQ(y->differ, 0, "%s%s: jobs do not matter", rows[i].engine, strict);
		if (rows[i].relation == MOST && y->answers > 1)
			TAP_OK(y->there * 100 >= y->wanted * rows[i].most,
			       "%s%s: %u of %u are found", rows[i].engine, strict, y->there,
			       y->wanted);
	}
}

int main(void)
{
	struct trial_seeds seeds = trial_seeds(TRACES, TRACES_LONG);
	struct trial_question questions[NROWS];
	unsigned unread = 0;

	for (size_t i = 0; i < NROWS; i++) {
		if (trial_is_wanted(rows[i].engine))
			tallies[i].engine = engine_find(rows[i].engine);
		questions[i] = (struct trial_question){ tallies[i].engine,
							{ .strict = rows[i].strict,
							  .all_pairs = rows[i].relation == EQUAL ||
								       rows[i].relation == MOST } };
	}
	for (uint64_t k = seeds.from; k < seeds.from + seeds.n; k++) {
		static struct trial x;

		if (trial_begin_blocks(&x, k)) {
			if (seeds.n == 1)
				trial_complain(&x, "the trace");
			want_all(&x.t);
			possible[0] += (unsigned)ntriples[0];
			possible[1] += (unsigned)(wanted[0].n - ntriples[0]);
			trial_try(&x, questions, NROWS, judge);
		} else {
			unread++;
		}
		trial_end(&x);
	}
	TAP_EQ(unread, 0, "%llu traces are read", (unsigned long long)seeds.n);
	if (seeds.n > 1)
		TAP_OK(possible[0] > seeds.n / 20 && possible[1] > seeds.n / 20 &&
			       spoilt[0] > seeds.n / 20 && spoilt[1] > seeds.n / 20,
		       "%u triples and %u others were there; %u spoilt orders are good, %u bad",
		       possible[0], possible[1], spoilt[0], spoilt[1]);
	if (seeds.n > 1)
		TAP_OK(repeated > seeds.n / 50 && repeated_missed * 100 <= repeated,
		       "with repeated reads: %u of %u patterns are missed", repeated_missed,
		       repeated);
	report();
	return tap_done();
}
