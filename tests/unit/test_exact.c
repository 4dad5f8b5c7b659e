/*
 * Exact search, held to the enumeration of every reordering (enumerate.h) on random tiny traces:
 *
 * (of locks, and of semaphores and tries that fail)
 *
 *	as it is, but clumsy	equal: choices and their undoing find what the rules left out
 *	in small windows	what is found holds, what is called impossible is
 *	one thread stops	windows agree with the whole, and do not run that thread on
 *
 * (tests/unit/test_races_random.c does the same for the engine as a whole), and to steps written
 * by hand for what tiny traces do not have: guards, threads that stand still, budgets.
 *
 * Environment: SEED=N only that trace; LONG=1 more of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "order/causal.h"
#include "order/model.h"
#include "predict/exact.h"
#include "predict/goal.h"
#include "predict/exact_priv.h"
#include "step_builder.h"
#include "tap.h"
#include "tiny.h"
#include "trace/trace.h"
#include "trial.h"

struct search {
	struct model *m;
	struct causal *c;
	struct exact *x;
	struct engine_options opt;
	struct exact_order order;
};

/* Takes the model. */
static void search_init(struct search *s, struct model *m, struct engine_options opt)
{
	bool strict = opt.strict || !m->has_facts;

	memset(s, 0, sizeof(*s));
	s->m = m;
	s->opt = opt;
	s->c = causal_new(m,
			  opt.values ? CAUSAL_HARD
			  : strict   ? CAUSAL_MUST_STRICT
				     : CAUSAL_MUST_DEP,
			  false);
	s->x = exact_new(m, s->c, &s->opt);
}

static void search_release(struct search *s)
{
	exact_order_release(&s->order);
	exact_free(s->x);
	causal_free(s->c);
	model_free(s->m);
}

static enum goal_outcome reach(struct search *s, uint32_t e1, uint32_t e2)
{
	uint32_t targets[] = { e1, e2 };

	return exact_reach(s->x, &(struct goal){ .next = targets, .nnext = 2 }, &s->order);
}

/* --- against the enumeration --------------------------------------------------- */

static struct model *load_model(const struct trial *x)
{
	struct diag d = { 0 };
	struct trace *t;
	struct steps *steps;
	struct step_batch b;
	struct model *m = model_new(&(struct model_options){ .values = x->t.values });

	if (trace_open(x->path, NULL, &t, &d) != ST_OK)
		BUG("%s", d.message);
	steps = steps_new(t, &(struct step_options){ .values = x->t.values });
	while (steps_next(steps, &b, &d) == ST_OK)
		model_take(m, &b);
	model_finish(m);
	model_check(m);
	steps_free(steps);
	trace_close(t);
	return m;
}

static bool schedule_holds(const struct trial *x, const struct search *s, uint32_t e1, uint32_t e2)
{
	struct check_order order = { 0 };
	uint64_t targets[] = { e1, e2 };
	struct check_claim claim;
	bool holds;

	for (uint32_t id = 1; s->order.observed.n > 0 && id <= s->m->n; id++)
		if (s->m->event[id].index < s->order.observed.at[s->m->event[id].chain])
			*VEC_PUSH(&order.at) = id;
	for (size_t i = 0; i < s->order.ids.n; i++)
		*VEC_PUSH(&order.at) = s->order.ids.at[i];
	claim = trial_claim(targets, &order, s->opt.strict, s->opt.values);
	holds = trial_holds(x, &claim);
	VEC_RELEASE(&order.at);
	return holds;
}

struct score {
	uint64_t pairs, wrong, broken, answers[GOAL_OUTCOMES];
};

/* Every pair that may race.  exact: FOUND and IMPOSSIBLE are all there is. */
static void compare(const struct trial *x, struct search *s, bool exact, struct score *score)
{
	enum wanted w = s->opt.values ? WANT_VALUES_STRICT : WANT_STRICT;
	const struct pairs *want = &x->want[s->opt.strict ? w : w + (WANT_DEP - WANT_STRICT)];

	for (uint32_t e1 = 1; e1 <= s->m->n; e1++)
		for (uint32_t e2 = e1 + 1; e2 <= s->m->n; e2++) {
			bool possible = pairs_has(want, (int)e1 - 1, (int)e2 - 1);
			enum goal_outcome a;

			if (!model_conflict(s->m, e1, e2))
				continue;
			a = reach(s, e1, e2);
			score->pairs++;
			score->answers[a]++;
			if ((a == GOAL_FOUND && !possible) || (a == GOAL_REFUTED && possible) ||
			    a == GOAL_UNDECIDED || (exact && a == GOAL_SEARCHED)) {
				score->wrong++;
				trial_complain(x, "wrong answer");
			}
			if (a == GOAL_FOUND && !schedule_holds(x, s, e1, e2)) {
				score->broken++;
				trial_complain(x, "wrong schedule");
			}
		}
}

/* The order has nothing of the thread of event id from there on. */
static bool stands_still(const struct search *s, uint32_t id)
{
	const struct model_event *e = &s->m->event[id];

	if (s->order.observed.n > 0 && s->order.observed.at[e->chain] > e->index)
		return false;
	for (size_t i = 0; i < s->order.ids.n; i++)
		if (s->m->event[s->order.ids.at[i]].chain == e->chain &&
		    s->m->event[s->order.ids.at[i]].index >= e->index)
			return false;
	return true;
}

/* One event may be part of no reordering: windows begin after what can still run. */
static void compare_standing(const struct trial *x, bool strict, struct score *score)
{
	struct engine_options opt = { .strict = strict, .jobs = 1 };
	struct model *m = load_model(x), *again = load_model(x);
	uint32_t id = 1 + (uint32_t)(x->seed % m->n);
	struct search whole, small;

	m->event[id].flags |= STEP_STOP;
	again->event[id].flags |= STEP_STOP;
	search_init(&whole, m, opt);
	opt.window = 8;
	search_init(&small, again, opt);
	small.x->limit = 8;
	for (uint32_t e1 = 1; e1 <= m->n; e1++)
		for (uint32_t e2 = e1 + 1; e2 <= m->n; e2++) {
			enum goal_outcome a, b;

			if (!model_conflict(m, e1, e2))
				continue;
			a = reach(&whole, e1, e2);
			b = reach(&small, e1, e2);
			score->pairs++;
			score->answers[b]++;
			if (a != b && b != GOAL_SEARCHED)
				score->wrong++;
			if ((a == GOAL_FOUND &&
			     !(schedule_holds(x, &whole, e1, e2) && stands_still(&whole, id))) ||
			    (b == GOAL_FOUND &&
			     !(schedule_holds(x, &small, e1, e2) && stands_still(&small, id))))
				score->broken++;
		}
	search_release(&whole);
	search_release(&small);
}

/* what: of the traces that `begin' makes. */
static void check_random(const char *what, bool (*begin)(struct trial *x, uint64_t seed),
			 struct trial_seeds seeds)
{
	struct score clumsy = { 0 }, small = { 0 }, standing_still = { 0 };

	for (uint64_t i = 0; i < seeds.n; i++) {
		struct trial x;

		if (begin(&x, seeds.from + i)) {
			for (int mode = 0; mode < 4; mode++) {
				struct engine_options opt = { .strict = mode & 1,
							      .values = mode & 2,
							      .jobs = 1 };
				struct search s;

				search_init(&s, load_model(&x), opt);
				s.x->clumsy = true;
				compare(&x, &s, true, &clumsy);
				search_release(&s);
				opt.window = 8;
				search_init(&s, load_model(&x), opt);
				s.x->limit = 8;
				compare(&x, &s, false, &small);
				search_release(&s);
			}
			compare_standing(&x, i & 1, &standing_still);
		}
		trial_end(&x);
	}
	TAP_OK(clumsy.answers[GOAL_FOUND] > 1000 || seeds.n == 1, "%s: %llu pairs are found", what,
	       (unsigned long long)clumsy.answers[GOAL_FOUND]);
	TAP_EQ(clumsy.wrong, 0, "%s: choices: equal to the enumeration", what);
	TAP_EQ(clumsy.broken, 0, "%s: choices: schedules hold", what);
	TAP_OK(small.answers[GOAL_SEARCHED] > 100 || seeds.n == 1,
	       "%s: small windows: %llu pairs are not found", what,
	       (unsigned long long)small.answers[GOAL_SEARCHED]);
	TAP_EQ(small.wrong, 0, "%s: small windows: what is answered is true", what);
	TAP_EQ(small.broken, 0, "%s: small windows: schedules hold", what);
	TAP_EQ(standing_still.wrong, 0, "%s: a thread stands still: windows agree with the whole",
	       what);
	TAP_EQ(standing_still.broken, 0, "%s: a thread stands still: %llu schedules hold", what,
	       (unsigned long long)standing_still.answers[GOAL_FOUND]);
}

/* --- by hand -------------------------------------------------------------------- */

/*
 *	T1		T2
 *			w(b)	1
 *	r(b)	2
 *			.	3
 *	w(c)	4
 *			w(c)	5	where 3 is in, 2 comes before 1
 */
static struct model *guarded(bool guard)
{
	struct step_builder b = { 0 };
	struct model *m;

	step_build_access(&b, 2, STEP_WRITE, 0);
	step_build_access(&b, 1, STEP_READ, 0);
	step_build(&b, 2, STEP_NONE, 0);
	if (guard) {
		struct step *g = step_build_more(&b, STEP_GUARD, 0);

		g->when = 3;
		g->from = 2;
		g->to = 1;
	}
	step_build_access(&b, 1, STEP_WRITE, 1);
	step_build_access(&b, 2, STEP_WRITE, 1);
	m = step_build_model(&b, &(struct model_options){ 0 });
	step_builder_release(&b);
	return m;
}

static void check_guard(void)
{
	struct search s;

	search_init(&s, guarded(false), (struct engine_options){ .jobs = 1 });
	TAP_EQ(reach(&s, 4, 5), GOAL_FOUND, "without the guard");
	search_release(&s);
	search_init(&s, guarded(true), (struct engine_options){ .jobs = 1 });
	TAP_EQ(reach(&s, 4, 5), GOAL_REFUTED, "a guard that cannot be kept");
	search_release(&s);
}

/*
 * A long run of two threads, before it a third one that stands still at event 3 with a lock in
 * its hand; the two race at its end.  with_lock: one of them needs that lock on the way.
 */
static struct model *standing(bool with_lock, uint32_t *e1, uint32_t *e2)
{
	struct step_builder b = { 0 };
	struct model *m;

	step_build(&b, 3, STEP_ACQ, 0);
	step_build_access(&b, 3, STEP_WRITE, 0);
	step_build_access(&b, 3, STEP_READ, 0);
	step_build_last(&b)->flags |= STEP_STOP;
	step_build(&b, 3, STEP_REL, 0);
	for (uint32_t i = 0; i < 40; i++) {
		step_build_access(&b, 1, STEP_WRITE, 1);
		step_build_access(&b, 2, STEP_READ, 1);
		step_build_access(&b, 2, STEP_WRITE, 1);
		step_build_access(&b, 1, STEP_READ, 1);
	}
	if (with_lock) {
		step_build(&b, 1, STEP_ACQ, 0);
		step_build(&b, 1, STEP_REL, 0);
	}
	*e1 = step_build_access(&b, 1, STEP_WRITE, 2);
	*e2 = step_build_access(&b, 2, STEP_WRITE, 2);
	m = step_build_model(&b, &(struct model_options){ 0 });
	step_builder_release(&b);
	return m;
}

static void check_standing(void)
{
	struct engine_options opt = { .jobs = 1, .window = 16 };
	uint32_t e1, e2;
	struct search s;

	search_init(&s, standing(false, &e1, &e2), opt);
	TAP_EQ(reach(&s, e1, e2), GOAL_FOUND, "a thread that stands still is left behind");
	TAP_EQ(s.order.observed.n, s.m->nchains, "the window begins late");
	TAP_OK(s.order.observed.n > 2 && s.order.observed.at[2] <= 2, "it does not run on");
	search_release(&s);
	search_init(&s, standing(true, &e1, &e2), opt);
	TAP_EQ(reach(&s, e1, e2), GOAL_SEARCHED, "its lock stays taken in the window");
	search_release(&s);
	opt.window = 0;
	search_init(&s, standing(true, &e1, &e2), opt);
	TAP_EQ(reach(&s, e1, e2), GOAL_FOUND, "from the start it need not run at all");
	search_release(&s);
}

/* Three threads, each of which adds to what the one before has stored, under a lock. */
static struct model *counters(uint32_t *e1, uint32_t *e2)
{
	struct step_builder b = { 0 };
	struct model *m;

	for (uint32_t i = 0; i < 60; i++) {
		uint32_t tid = 1 + i % 3;

		step_build(&b, tid, STEP_ACQ, 0);
		step_build_access(&b, tid, STEP_READ, 1 + i % 2);
		step_build_access(&b, tid, STEP_WRITE, 1 + i % 2);
		step_build(&b, tid, STEP_REL, 0);
	}
	*e1 = step_build_access(&b, 1, STEP_WRITE, 9);
	*e2 = step_build_access(&b, 2, STEP_WRITE, 9);
	m = step_build_model(&b, &(struct model_options){ 0 });
	step_builder_release(&b);
	return m;
}

static void check_limits(void)
{
	volatile sig_atomic_t stop = 1;
	uint32_t e1, e2;
	struct search s;

	search_init(&s, counters(&e1, &e2), (struct engine_options){ .jobs = 1 });
	TAP_EQ(reach(&s, e1, e2), GOAL_FOUND, "found");
	TAP_OK(exact_steps(s.x) > 100, "it took %llu steps", (unsigned long long)exact_steps(s.x));
	TAP_EQ(reach(&s, e1, 2), GOAL_REFUTED, "one runs before the other");
	TAP_EQ(s.order.ids.n, 0, "nothing is left of the answer before");
	search_release(&s);
	search_init(&s, counters(&e1, &e2), (struct engine_options){ .jobs = 1, .budget = 50 });
	TAP_EQ(reach(&s, e1, e2), GOAL_UNDECIDED, "a budget");
	search_release(&s);
	search_init(&s, counters(&e1, &e2), (struct engine_options){ .jobs = 1, .stop = &stop });
	TAP_EQ(reach(&s, e1, e2), GOAL_UNDECIDED, "a run that is stopped");
	search_release(&s);
}

/*
 *	T1		T2
 *	acq(m)	1
 *	acq(n)	2
 *	rel(n)	3
 *	rel(m)	4
 *			acq(n)	5
 *			acq(m)	6
 */
static void check_deadlock(void)
{
	struct step_builder b = { 0 };
	struct search s;

	step_build(&b, 1, STEP_ACQ, 0);
	step_build(&b, 1, STEP_ACQ, 1);
	step_build(&b, 1, STEP_REL, 1);
	step_build(&b, 1, STEP_REL, 0);
	step_build(&b, 2, STEP_ACQ, 1);
	step_build(&b, 2, STEP_ACQ, 0);
	search_init(&s, step_build_model(&b, &(struct model_options){ 0 }),
		    (struct engine_options){ .jobs = 1 });
	step_builder_release(&b);
	TAP_EQ(reach(&s, 2, 6), GOAL_FOUND, "both wait for the other's lock");
	TAP_EQ(s.order.ids.n, 2, "each holds one");
	TAP_EQ(reach(&s, 3, 6), GOAL_REFUTED, "both hold the same lock");
	search_release(&s);
}

int main(void)
{
	check_guard();
	check_standing();
	check_limits();
	check_deadlock();
	check_random("locks", trial_begin, trial_seeds(4000, 60000));
	check_random("counts", trial_begin_counts, trial_seeds(3000, 60000));
	return tap_done();
}
