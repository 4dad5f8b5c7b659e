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

#include "base/diag.h"
#include "enumerate.h"
#include "predict/engine.h"
#include "tap.h"
#include "tiny.h"
#include "trace/trace.h"
#include "trial.h"
#include "witness/check.h"
#include "witness/evidence.h"

#define TRACES 25000
#define TRACES_LONG 100000

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

/* The answers of all engines with so many jobs, by one reading of the trace. */
static void ask(const struct trial *x, unsigned jobs, struct engine_result *out)
{
	struct step_options sopt = { .values = x->t.values };
	struct model_options mopt = { .values = x->t.values };
	struct engine_options opt[NROWS];
	struct model *m = model_new(&mopt);
	struct engine_run *run;
	struct step_batch b;
	struct diag d = { 0 };
	struct trace *t;
	struct steps *s;
	void *self[NROWS] = { NULL };
	enum status st = trace_open(x->path, NULL, &t, &d);

	if (st != ST_OK)
		BUG("%s", d.message);
	s = steps_new(t, &sopt);
	for (size_t i = 0; i < NROWS; i++) {
		opt[i] = (struct engine_options){ .strict = rows[i].strict,
						  .values = rows[i].values,
						  .all_pairs = rows[i].relation != PLACES,
						  .jobs = jobs };
		if (tallies[i].engine)
			self[i] = tallies[i].engine->begin(&opt[i]);
	}
	while ((st = steps_next(s, &b, &d)) == ST_OK) {
		for (size_t i = 0; i < NROWS; i++)
			if (tallies[i].engine && tallies[i].engine->steps)
				tallies[i].engine->steps(self[i], &b);
		model_take(m, &b);
	}
	if (st != ST_END)
		BUG("%s", d.message);
	steps_free(s);
	trace_close(t);
	model_finish(m);
	run = engine_run_new(m);
	for (size_t i = 0; i < NROWS; i++)
		if (tallies[i].engine)
			tallies[i].engine->end(self[i], tallies[i].engine->needs_model ? run : NULL,
					       &out[i]);
	engine_run_free(run);
	model_free(m);
}

/* The schedule of a claimed finding leads where it says. */
static bool is_proven(const struct trial *x, const struct row *row, const struct finding *f)
{
	struct check_order order = { 0 };
	struct check_claim claim;
	bool good = check_expand(x->evidence, &f->schedule, &order);

	claim = trial_claim(f->events, &order, row->strict, row->values);
	good = good && trial_certify(x, &claim, NULL) && trial_holds(x, &claim);
	VEC_RELEASE(&order.at);
	return good;
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
	struct pairs got = { { 0 } };
	char what[2048], g[900], w[900];

	for (size_t i = 0; i < r->findings.at.n; i++) {
		const struct finding *f = &r->findings.at.at[i];

		pairs_add(&got, (int)f->events[0] - 1, (int)f->events[1] - 1);
		y->pairs++;
		y->schedules += f->claimed;
		if ((!f->claimed && y->engine->sound) ||
		    (f->claimed && !is_proven(x, &rows[row], f))) {
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

static bool same_schedule(const struct schedule *a, const struct schedule *b)
{
	return a->count.n == b->count.n && a->tail.n == b->tail.n &&
	       (!a->count.n || !memcmp(a->count.at, b->count.at, a->count.n * sizeof(uint64_t))) &&
	       (!a->tail.n || !memcmp(a->tail.at, b->tail.at, a->tail.n * sizeof(uint64_t)));
}

static bool same_findings(const struct findings *a, const struct findings *b)
{
	bool same = a->at.n == b->at.n;

	for (size_t i = 0; same && i < a->at.n; i++) {
		const struct finding *f = &a->at.at[i], *g = &b->at.at[i];

		same = f->events[0] == g->events[0] && f->events[1] == g->events[1] &&
		       f->claimed == g->claimed && f->more == g->more &&
		       same_schedule(&f->schedule, &g->schedule);
	}
	return same;
}

static void try_engines(const struct trial *x)
{
	struct engine_result one[NROWS], three[NROWS];

	memset(one, 0, sizeof(one));
	memset(three, 0, sizeof(three));
	ask(x, 1, one);
	if (x->seed % 16 < 8)
		ask(x, 3, three);
	for (size_t i = 0; i < NROWS; i++) {
		if (!tallies[i].engine)
			continue;
		judge(x, i, &one[i]);
		if (x->seed % 16 < 8 && !same_findings(&one[i].findings, &three[i].findings)) {
			tallies[i].differ++;
			trial_complain(x, "one job and three jobs give different findings");
		}
		engine_result_release(&one[i]);
		engine_result_release(&three[i]);
	}
}

static bool is_wanted(const char *engine)
{
	const char *only = getenv("ONLY");
	size_t n = strlen(engine);

	if (!only)
		return true;
	for (const char *p = only; (p = strstr(p, engine)) != NULL; p += n)
		if ((p == only || p[-1] == ',') && (p[n] == ',' || p[n] == '\0'))
			return true;
	return false;
}

static void choose_engines(void)
{
	for (size_t i = 0; i < NROWS; i++) {
		if (!is_wanted(rows[i].engine))
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

int main(void)
{
	struct trial_seeds seeds = trial_seeds(TRACES, TRACES_LONG);
	unsigned unread = 0;

	choose_engines();
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
	TAP_EQ(unread, 0, "%llu traces are read", (unsigned long long)seeds.n);
	report();
	return tap_done();
}
