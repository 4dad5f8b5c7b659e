/*
 * csp against an enumeration of all that program order, forks, joins, locks and semaphores allow
 * (enumerate.h, no_data), on random tiny traces:
 *
 *	- the search for a variable and two threads ends as the enumeration says, whether or not the engine
 *	  would have asked it
 *	- a variable and two threads are found iff two of their accesses can be next together
 *	- the order that a finding has is one: only what was read may be wrong with it
 *	- what the checker accepts of them is a race by the definition; and an exact search with data has no race
 *	  of a variable and two threads that csp has not
 *	- csp_retry finds an order where there is one, and refutes where there is none
 *
 * Environment: LONG=1 more traces; SEED=N only that one, printed.
 */
#include <stdio.h>
#include <string.h>

#include "compare/csp.h"
#include "predict/engine.h"
#include "tap.h"
#include "trial_engines.h"
#include "witness/check.h"
#include "trace/trace.h"

#define TRACES 5000
#define TRACES_LONG 50000
#define STATES 1000000

static struct tally {
	unsigned searches, held, checks, violated, certified, retried, refuted;
	unsigned astray, missed, wrong, disorderly, unretried;
} tally;

/* Of the pairs, which cells two threads meet in: bit u * THREADS + v of a cell, u < v. */
struct met {
	uint32_t at[TINY_CELLS];
};

static void meet(const struct tiny *t, int a, int b, struct met *out)
{
	int u = t->at[a].thread, v = t->at[b].thread;

	for (int c = 0; c < TINY_CELLS; c++)
		if (t->at[a].cells & t->at[b].cells & 1u << c)
			out->at[c] |= 1u << (u < v ? u * TINY_THREADS + v : v * TINY_THREADS + u);
}

static bool is_access_pair(const struct tiny *t, int a, int b)
{
	return tiny_is_access(&t->at[a]) && tiny_is_access(&t->at[b]) && tiny_conflict(t, a, b);
}

static struct met meetings(const struct tiny *t, const struct pairs *p)
{
	struct met m = { { 0 } };

	for (int a = 0; a < t->n; a++)
		for (int b = a + 1; b < t->n; b++)
			if (pairs_has(p, a, b) && is_access_pair(t, a, b))
				meet(t, a, b, &m);
	return m;
}

static bool met_within(const struct met *a, const struct met *b)
{
	for (int c = 0; c < TINY_CELLS; c++)
		if (a->at[c] & ~b->at[c])
			return false;
	return true;
}

/* By the definition without data: each event can happen where it comes, and both are next at the end. */
static bool is_orderly(const struct trial *x, const struct finding *f)
{
	struct check_order order = { 0 };
	int events[TINY_EVENTS], n = 0;
	bool good = check_expand(x->evidence, &f->schedule, &order);

	for (size_t i = 0; good && i < order.at.n && n < TINY_EVENTS; i++)
		events[n++] = (int)order.at.at[i] - 1;
	good = good && enumerate_order_without_data(&x->t, events, n, (int)f->events[0] - 1,
						    (int)f->events[1] - 1);
	VEC_RELEASE(&order.at);
	return good;
}

static void complain(const struct trial *x, const struct finding *f, const char *what)
{
	char text[200];

	snprintf(text, sizeof(text), "%s: %llu-%llu", what, (unsigned long long)f->events[0],
		 (unsigned long long)f->events[1]);
	trial_complain(x, text);
}

/* After the checker has said no. */
static void retry(const struct trial *x, struct csp_retry *r, const struct engine_options *opt,
		  struct finding *f)
{
	const struct pairs *want = &x->want[opt->strict ? WANT_STRICT : WANT_DEP];
	struct met all = meetings(&x->t, want), mine = { { 0 } };
	bool possible = false;
	enum goal_outcome outcome;

	meet(&x->t, (int)f->events[0] - 1, (int)f->events[1] - 1, &mine);
	for (int c = 0; c < TINY_CELLS; c++)
		possible |= mine.at[c] & all.at[c];
	outcome = csp_retry(r, f);
	tally.retried += outcome == GOAL_FOUND;
	tally.refuted += outcome == GOAL_REFUTED;
	if (outcome != (possible ? GOAL_FOUND : GOAL_REFUTED) ||
	    (possible && !trial_proves(x, opt, f))) {
		tally.unretried++;
		complain(x, f, "retried in vain, or wrongly");
	}
}

static struct model *model_of(const struct trial *x)
{
	struct model *m = model_new(&(struct model_options){ 0 });
	struct step_batch b;
	struct diag d = { 0 };
	struct trace *t;
	struct steps *s;

	if (trace_open(x->path, NULL, &t, &d) != ST_OK)
		BUG("%s", d.message);
	s = steps_new(t, &(struct step_options){ 0 });
	while (steps_next(s, &b, &d) == ST_OK)
		model_take(m, &b);
	steps_free(s);
	trace_close(t);
	model_finish(m);
	return m;
}

/* Cells that the events of a variable touch, all of them and no others. */
static uint32_t cells_of(const struct trial *x, const struct model *m, uint32_t cell)
{
	struct model_list list = model_cell(m, cell);
	uint32_t cells = 0;

	for (int c = 0; c < TINY_CELLS; c++) {
		uint32_t mine = 0, its = 0;

		for (uint32_t i = 0; i < list.n; i++)
			mine |= 1u << (list.at[i] - 1);
		for (int i = 0; i < x->t.n; i++)
			its |= (x->t.at[i].cells >> c & 1u) << i;
		cells |= (mine == its ? 1u : 0) << c;
	}
	return cells;
}

/* Of every variable and two threads with accesses that conflict. */
static void search_all(const struct trial *x, const struct model *m, const struct met *want)
{
	struct engine_run *run = engine_run_new(m);
	struct csp *c = csp_new(m, engine_causal(run, CAUSAL_HARD));
	struct engine_options opt = { 0 };
	struct exact_order order = { 0 };
	struct csp_checks checks = { 0 };
	struct csp_result r;

	csp_checks(c, true, &checks);
	for (size_t i = 0; i < checks.at.n; i++) {
		const struct csp_check *k = &checks.at.at[i];
		uint32_t cells = cells_of(x, m, k->cell), e[2] = { 0 };
		struct model_list list = model_cell(m, k->cell);
		struct met mine = { { 0 } };
		bool possible = false;

		if (cells == 0)
			continue; /* a free has cut it otherwise */
		for (uint32_t j = 0; j < list.n; j++)
			for (int n = 0; n < 2; n++)
				if (m->event[list.at[j]].tid == k->tid[n])
					e[n] = list.at[j];
		meet(&x->t, (int)e[0] - 1, (int)e[1] - 1, &mine);
		for (int n = 0; n < TINY_CELLS; n++)
			possible |= cells >> n & 1 && (mine.at[n] & want->at[n]);
		tally.searches++;
		tally.held += !possible;
		if (csp_search_check(c, k, STATES, &opt, &r, &order) !=
		    (possible ? GOAL_FOUND : GOAL_REFUTED)) {
			tally.astray++;
			trial_complain(x, "a search ends otherwise");
		}
	}
	VEC_RELEASE(&checks.at);
	exact_order_release(&order);
	csp_free(c);
	engine_run_free(run);
}

static void judge(const struct trial *x, bool strict)
{
	struct trial_question q = { engine_find("csp"), { .strict = strict, .all_pairs = true } };
	struct enumeration *all =
		enumerate(&x->t, (struct enumerate_mode){ .no_data = true }, STATES);
	const struct pairs *can = enumeration_races(all);
	struct met want = meetings(&x->t, can), got = { { 0 } };
	struct met real = meetings(&x->t, &x->want[strict ? WANT_STRICT : WANT_DEP]);
	struct model *m = model_of(x);
	struct csp_retry *r = csp_retry_new(m, &q.opt);
	struct engine_result out = { 0 };

	search_all(x, m, &want);
	trial_ask(x, &q, 1, 1, &out);
	tally.checks += (unsigned)out.counts.checks;
	for (size_t i = 0; i < out.findings.at.n; i++) {
		struct finding *f = &out.findings.at.at[i];
		int a = (int)f->events[0] - 1, b = (int)f->events[1] - 1;

		tally.violated++;
		meet(&x->t, a, b, &got);
		if (!pairs_has(can, a, b)) {
			tally.wrong++;
			complain(x, f, "not possible even without data");
		}
		if (!is_orderly(x, f)) {
			tally.disorderly++;
			complain(x, f, "the order breaks more than reads");
		}
		if (trial_proves(x, &q.opt, f))
			tally.certified++;
		else
			retry(x, r, &q.opt, f);
	}
	if (!met_within(&want, &got) || !met_within(&real, &got) || out.truncated.n) {
		tally.missed++;
		trial_complain(x, "a variable and two threads are missed");
	}
	engine_result_release(&out);
	csp_retry_free(r);
	model_free(m);
	enumeration_free(all);
}

int main(void)
{
	static bool (*const begin[])(struct trial *, uint64_t) = { trial_begin, trial_begin_locks,
								   trial_begin_counts,
								   trial_begin_waits };
	struct trial_seeds seeds = trial_seeds(TRACES, TRACES_LONG);
	static struct trial x;

	for (uint64_t k = seeds.from; k < seeds.from + seeds.n; k++) {
		if (!begin[k % 4](&x, k / 4))
			TAP_OK(false, "trace %llu is read", (unsigned long long)k);
		x.seed = k; /* what SEED= takes here */
		if (seeds.n == 1)
			trial_complain(&x, "the trace");
		judge(&x, k / 4 % 2);
		trial_end(&x);
	}
	TAP_EQ(tally.astray, 0, "%u searches, %u of them in vain", tally.searches, tally.held);
	TAP_EQ(tally.missed, 0, "%llu traces: all that is possible is found, in %u checks",
	       (unsigned long long)seeds.n, tally.checks);
	TAP_EQ(tally.wrong, 0, "%u are violated, and all of these are possible", tally.violated);
	TAP_EQ(tally.disorderly, 0, "the orders break nothing but reads");
	TAP_EQ(tally.unretried, 0, "%u orders are certified, %u by another order, %u are refuted",
	       tally.certified, tally.retried, tally.refuted);
	TAP_OK(seeds.n == 1 || (tally.certified && tally.retried && tally.refuted),
	       "there are some of each");
	return tap_done();
}
