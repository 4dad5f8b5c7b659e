/*
 * Semaphores and tries that fail: engines against the enumeration of every reordering (enumerate.h),
 * in which a wait needs something to take and a failed try a holder, whichever it is.
 *
 *	exact		equals the enumeration, with values too; clumsy, it does so by choices alone
 *	races		has one finding for each pair of places that has a race, and no other
 *	deadlocks	equals the enumeration, circles with joins apart
 *	the others	claim nothing that does not hold
 *
 * Environment: LONG=1 more traces; SEED=N only that one, printed; ONLY=exact,spd these engines.
 */
#include <stdio.h>
#include <string.h>

#include "enumerate.h"
#include "predict/engine.h"
#include "tap.h"
#include "tiny.h"
#include "trial.h"
#include "trial_engines.h"

#define TRACES 6000
#define TRACES_LONG 200000

enum relation { EQUAL, WITHIN, PLACES };

static const struct row {
	const char *engine;
	bool strict, values;
	enum wanted wanted;
	enum relation relation;
	bool deadlocks;
} rows[] = {
	{ "shb", true, false, WANT_STRICT, WITHIN, false },
	{ "syncp", true, false, WANT_STRICT, WITHIN, false },
	{ "syncp", false, false, WANT_DEP, WITHIN, false },
	{ "osr", true, false, WANT_STRICT, WITHIN, false },
	{ "osr", false, false, WANT_DEP, WITHIN, false },
	{ "exact", true, false, WANT_STRICT, EQUAL, false },
	{ "exact", false, false, WANT_DEP, EQUAL, false },
	{ "exact", true, true, WANT_VALUES_STRICT, EQUAL, false },
	{ "exact", false, true, WANT_VALUES_DEP, EQUAL, false },
	{ "races", true, false, WANT_STRICT, PLACES, false },
	{ "races", false, false, WANT_DEP, PLACES, false },
	{ "spd", false, false, WANT_DEP, WITHIN, true },
	{ "deadlocks", true, false, WANT_STRICT, EQUAL, true },
	{ "deadlocks", false, false, WANT_DEP, EQUAL, true },
};
#define NROWS (sizeof(rows) / sizeof(rows[0]))

static struct tally {
	const struct engine *engine; /* NULL: left out by ONLY, or there is none */
	unsigned answers, found;
	unsigned wrong, unproven, differ;
} tallies[NROWS];

static struct engine_options options_of(const struct row *row)
{
	return (struct engine_options){ .strict = row->strict,
					.values = row->values,
					.all_pairs = row->relation != PLACES };
}

/* ---- races ---- */

static int signature(const struct tiny *t, int i, int j)
{
	int a = t->at[i].loc, b = t->at[j].loc;

	return a < b ? a * 1024 + b : b * 1024 + a;
}

/* Every pair of `some' has a pair with the same places in `all'. */
static bool places_within(const struct tiny *t, const struct pairs *some, const struct pairs *all)
{
	for (int i = 0; i < t->n; i++)
		for (int j = i + 1; j < t->n; j++) {
			bool found = !pairs_has(some, i, j);

			for (int k = 0; k < t->n; k++)
				for (int l = k + 1; l < t->n && !found; l++)
					found = pairs_has(all, k, l) &&
						signature(t, i, j) == signature(t, k, l);
			if (!found)
				return false;
		}
	return true;
}

static bool races_are_right(const struct trial *x, const struct row *row, const struct findings *f)
{
	const struct pairs *want = &x->want[row->wanted];
	struct pairs got = { { 0 } };

	for (size_t i = 0; i < f->at.n; i++)
		pairs_add(&got, (int)f->at.at[i].events[0] - 1, (int)f->at.at[i].events[1] - 1);
	return pairs_within(&got, want) &&
	       (row->relation == WITHIN ||
		(row->relation == EQUAL ? pairs_equal(&got, want)
					: places_within(&x->t, want, &got)));
}

/* ---- deadlocks ---- */

static uint32_t set_of(const struct finding *f)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < f->nevents; i++)
		set |= 1u << (f->events[i] - 1);
	return set;
}

static bool deadlocks_are_right(const struct trial *x, const struct row *row,
				const struct findings *f)
{
	const struct deadlock *want;
	int n, found = 0, wanted = 0;

	want = enumeration_deadlocks(x->all[row->wanted], &n);
	for (int i = 0; i < n; i++)
		wanted += !want[i].joins;
	for (size_t i = 0; i < f->at.n; i++) {
		bool known = f->at.at[i].kind != FINDING_DEADLOCK;

		found += !known;
		for (int k = 0; k < n && !known; k++)
			known = want[k].events == set_of(&f->at.at[i]);
		if (!known)
			return false;
	}
	return row->relation == WITHIN || found == wanted;
}

/* ---- all ---- */

static void judge(const struct trial *x, size_t row, struct engine_result *r, bool same)
{
	struct engine_options opt = options_of(&rows[row]);
	struct tally *y = &tallies[row];
	char what[128];
	bool right;

	snprintf(what, sizeof(what), "%s%s%s: wrong", rows[row].engine,
		 rows[row].strict ? ", strict" : "", rows[row].values ? ", values" : "");
	y->answers++;
	y->differ += !same;
	for (size_t i = 0; i < r->findings.at.n; i++) {
		const struct finding *f = &r->findings.at.at[i];

		y->found++;
		if (f->claimed ? trial_proves(x, &opt, f) : y->engine->proof != ENGINE_PROVES)
			continue;
		y->unproven++;
		trial_complain(x, "not proven:");
		trial_complain(x, what);
	}
	right = rows[row].deadlocks ? deadlocks_are_right(x, &rows[row], &r->findings)
				    : races_are_right(x, &rows[row], &r->findings);
	if (right && r->truncated.n == 0)
		return;
	y->wrong++;
	trial_complain(x, r->truncated.n ? r->truncated.at[0] : what);
}

static void report(void)
{
	static const char *const how[] = { [EQUAL] = "equal to",
					   [WITHIN] = "within",
					   [PLACES] = "one for each pair of places of" };

	for (size_t i = 0; i < NROWS; i++) {
		const struct tally *y = &tallies[i];
		char name[64];

		if (!y->engine)
			continue;
		snprintf(name, sizeof(name), "%s%s%s", rows[i].engine,
			 rows[i].strict ? ", strict" : "", rows[i].values ? ", values" : "");
		TAP_EQ(y->wrong, 0, "%s: %s the enumeration, %u answers, %u found", name,
		       how[rows[i].relation], y->answers, y->found);
		TAP_EQ(y->unproven, 0, "%s: schedules hold", name);
		TAP_EQ(y->differ, 0, "%s: jobs do not matter", name);
	}
}

int main(void)
{
	struct trial_seeds seeds = trial_seeds(TRACES, TRACES_LONG);
	struct trial_question q[NROWS];
	unsigned unread = 0;

	for (size_t i = 0; i < NROWS; i++) {
		tallies[i].engine =
			trial_is_wanted(rows[i].engine) ? engine_find(rows[i].engine) : NULL;
		q[i] = (struct trial_question){ tallies[i].engine, options_of(&rows[i]) };
	}
	for (uint64_t k = seeds.from; k < seeds.from + seeds.n; k++) {
		static struct trial x;

		if (trial_begin_counts(&x, k)) {
			if (seeds.n == 1)
				trial_complain(&x, "the trace");
			trial_try(&x, q, NROWS, judge);
		} else {
			unread++;
		}
		trial_end(&x);
	}
	TAP_EQ(unread, 0, "%llu traces are read", (unsigned long long)seeds.n);
	report();
	return tap_done();
}
