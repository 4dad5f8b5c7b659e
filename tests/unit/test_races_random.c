/*
 * Race engines against the enumeration of every reordering (enumerate.h), on
 * random tiny traces.
 *
 *	hb, shb, wcp	equal their definitions (hb, wcp: as far as atomics leave no choice)
 *	syncp		equals the enumeration that keeps the order of sections
 *	exact		equals the enumeration, with values too
 *	osr		is within it
 *	races		has one finding for each pair of places that has a race, and no other
 *
 * by the strict and by the dependency-aware model; each claimed schedule is judged by the checker
 * and by the enumeration's own test; answers do not depend on the number of jobs.
 *
 * Environment: LONG=1 more traces; SEED=N only that one, printed; ONLY=hb,exact these engines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "enumerate.h"
#include "predict/engine.h"
#include "tap.h"
#include "tiny.h"
#include "trial.h"
#include "trial_engines.h"

#define TRACES 25000
#define TRACES_LONG 100000
#define TESTS 12000 /* more, with comparisons */
#define TESTS_LONG 120000

/* BETWEEN: within, and all of the next one wanted. */
enum relation { EQUAL, WITHIN, BETWEEN, PLACES };

static const struct row {
	const char *engine;
	bool strict, values;
	enum wanted wanted;
	enum relation relation;
} rows[] = {
	{ "hb", true, false, WANT_HB, BETWEEN },
	{ "shb", true, false, WANT_SHB, EQUAL },
	{ "shb", false, false, WANT_SYNCP_DEP, WITHIN },
	{ "wcp", true, false, WANT_WCP, BETWEEN },
	{ "syncp", true, false, WANT_SYNCP_STRICT, EQUAL },
	{ "syncp", false, false, WANT_SYNCP_DEP, EQUAL },
	{ "osr", true, false, WANT_STRICT, WITHIN },
	{ "osr", false, false, WANT_DEP, WITHIN },
	{ "exact", true, false, WANT_STRICT, EQUAL },
	{ "exact", false, false, WANT_DEP, EQUAL },
	{ "exact", true, true, WANT_VALUES_STRICT, EQUAL },
	{ "exact", false, true, WANT_VALUES_DEP, EQUAL },
	{ "races", true, false, WANT_STRICT, PLACES },
	{ "races", false, false, WANT_DEP, PLACES },
};
#define NROWS (sizeof(rows) / sizeof(rows[0]))

static struct tally {
	const struct engine *engine; /* NULL: left out by ONLY, or there is none */
	unsigned answers, pairs, schedules;
	unsigned wrong, unproven, differ; /* answers; schedules; answers by jobs */
} tallies[NROWS];

static struct engine_options options_of(const struct row *row)
{
	return (struct engine_options){ .strict = row->strict,
					.values = row->values,
					.all_pairs = row->relation != PLACES };
}

/* Unordered pair of places: what one finding of `races' stands for. */
static int signature(const struct tiny *t, int i, int j)
{
	int a = t->at[i].loc, b = t->at[j].loc;

	return a < b ? a * 1024 + b : b * 1024 + a;
}

/* Every pair of `some' has a pair with the same places in `all'. */
static bool places_within(const struct tiny *t, const struct pairs *some, const struct pairs *all)
{
	for (int i = 0; i < t->n; i++) {
		for (int j = i + 1; j < t->n; j++) {
			bool found = !pairs_has(some, i, j);

			for (int k = 0; k < t->n; k++)
				for (int l = k + 1; l < t->n && !found; l++)
					found = pairs_has(all, k, l) &&
						signature(t, i, j) == signature(t, k, l);
			if (!found)
				return false;
		}
	}
	return true;
}

static bool is_right(const struct trial *x, const struct row *row, const struct pairs *got)
{
	const struct pairs *want = &x->want[row->wanted];

	if (row->relation == EQUAL)
		return pairs_equal(got, want);
	if (!pairs_within(got, want))
		return false;
	if (row->relation == BETWEEN)
		return pairs_within(want + 1, got);
	return row->relation == WITHIN || places_within(&x->t, want, got);
}

static void judge(const struct trial *x, size_t row, const struct engine_result *r)
{
	struct tally *y = &tallies[row];
	struct engine_options opt = options_of(&rows[row]);
	struct pairs got = { { 0 } };
	char what[2048], g[900], w[900];

	for (size_t i = 0; i < r->findings.at.n; i++) {
		const struct finding *f = &r->findings.at.at[i];

		pairs_add(&got, (int)f->events[0] - 1, (int)f->events[1] - 1);
		y->pairs++;
		y->schedules += f->claimed;
		if ((!f->claimed && y->engine->proof == ENGINE_PROVES) ||
		    (f->claimed && !trial_proves(x, &opt, f))) {
			y->unproven++;
			snprintf(what, sizeof(what), "%s%s: %llu-%llu is not proven",
				 rows[row].engine, rows[row].strict ? ", strict" : "",
				 (unsigned long long)f->events[0],
				 (unsigned long long)f->events[1]);
			trial_complain(x, what);
		}
	}
	y->answers++;
	if (is_right(x, &rows[row], &got) && r->truncated.n == 0)
		return;
	y->wrong++;
	pairs_format(&got, g, sizeof(g));
	pairs_format(&x->want[rows[row].wanted], w, sizeof(w));
	snprintf(what, sizeof(what), "%s%s%s: got %s; enumeration %s", rows[row].engine,
		 rows[row].strict ? ", strict" : "", rows[row].values ? ", values" : "", g, w);
	trial_complain(x, r->truncated.n ? r->truncated.at[0] : what);
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

static void choose_engines(void)
{
	for (size_t i = 0; i < NROWS; i++) {
		if (!trial_is_wanted(rows[i].engine))
			continue;
		tallies[i].engine = engine_find(rows[i].engine);
		if (!tallies[i].engine)
			TAP_OK(false, "there is an engine %s", rows[i].engine);
	}
}

static void report(void)
{
	static const char *const how[] = { [EQUAL] = "equal to",
					   [WITHIN] = "within",
					   [BETWEEN] = "as",
					   [PLACES] = "one for each pair of places of" };

	for (size_t i = 0; i < NROWS; i++) {
		const struct tally *y = &tallies[i];
		char name[64];

		if (!y->engine)
			continue;
		snprintf(name, sizeof(name), "%s%s%s", rows[i].engine,
			 rows[i].strict ? ", strict" : "", rows[i].values ? ", values" : "");
		TAP_EQ(y->wrong, 0, "%s: %s the enumeration, %u answers, %u pairs", name,
		       how[rows[i].relation], y->answers, y->pairs);
		TAP_EQ(y->unproven, 0, "%s: %u schedules hold", name, y->schedules);
		TAP_EQ(y->differ, 0, "%s: jobs do not matter", name);
	}
}

/* How many were not read. */
static unsigned try_seeds(struct trial_seeds seeds)
{
	unsigned unread = 0;

	for (uint64_t k = seeds.from; k < seeds.from + seeds.n; k++) {
		static struct trial x;

		if (trial_begin(&x, k)) {
			if (seeds.n == 1)
				trial_complain(&x, "the trace");
			try_engines(&x);
		} else {
			unread++;
		}
		trial_end(&x);
	}
	return unread;
}

int main(void)
{
	struct trial_seeds seeds = trial_seeds(TRACES, TRACES_LONG);
	struct trial_seeds tests = trial_seeds(TESTS, TESTS_LONG);

	choose_engines();
	TAP_EQ(try_seeds(seeds), 0, "%llu traces are read", (unsigned long long)seeds.n);
	if (!getenv("SEED")) {
		tests.from += TRIAL_TESTS;
		TAP_EQ(try_seeds(tests), 0, "%llu with comparisons are read",
		       (unsigned long long)tests.n);
	}
	report();
	return tap_done();
}
