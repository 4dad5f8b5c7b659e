/*
 * Past-time LTL: random formulas of all operators over random runs, against their definition.
 *
 * The definition is asked anew at each position and looks at all positions before it:
 *
 *	once F		some k <= n has F
 *	F since G	some k <= n has G, and all after it up to n have F	...
 *
 * where the monitor goes by recurrences over one step.
 */
#include <stdlib.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "monitor/monitor.h"
#include "unit/spec_naive.h"
#include "unit/spec_trees.h"
#include "unit/tap.h"

#define VARS 3
#define EVENTS 2
#define LENGTH 9

struct run {
	uint32_t n;
	struct monitor_value values[LENGTH][VARS];
	struct naive_state state[LENGTH]; /* the same */
	uint64_t events[LENGTH];
};

/* ---- the definition ---- */

static enum naive_truth holds(const struct run *r, uint32_t n, const struct spec_form *f);

static bool sure(enum naive_truth t)
{
	return t == NAIVE_NO || t == NAIVE_YES;
}

static enum naive_truth either(enum naive_truth a, enum naive_truth b)
{
	if (a == NAIVE_YES || b == NAIVE_YES)
		return NAIVE_YES;
	if (a == NAIVE_DUNNO || b == NAIVE_DUNNO)
		return NAIVE_DUNNO;
	return a == NAIVE_TROUBLE || b == NAIVE_TROUBLE ? NAIVE_TROUBLE : NAIVE_NO;
}

static enum naive_truth negation(enum naive_truth a)
{
	return sure(a) ? (a == NAIVE_YES ? NAIVE_NO : NAIVE_YES) : a;
}

/* All of from..to have f (or, with `want' NAIVE_NO, none). */
static bool all(const struct run *r, uint32_t from, uint32_t to, const struct spec_form *f,
		enum naive_truth want)
{
	for (uint32_t k = from; k <= to; k++)
		if (holds(r, k, f) != want)
			return false;
	return true;
}

/* Operands are sure at n, and were at all positions before. */
static bool temporal(const struct run *r, uint32_t n, const struct spec_form *f)
{
	switch (f->op) {
	case SPEC_F_ONCE:
		for (uint32_t k = 0; k <= n; k++)
			if (holds(r, k, f->a) == NAIVE_YES)
				return true;
		return false;
	case SPEC_F_HIST:
		return all(r, 0, n, f->a, NAIVE_YES);
	case SPEC_F_START:
		return n > 0 && holds(r, n, f->a) == NAIVE_YES && holds(r, n - 1, f->a) == NAIVE_NO;
	case SPEC_F_STOP:
		return n > 0 && holds(r, n, f->a) == NAIVE_NO && holds(r, n - 1, f->a) == NAIVE_YES;
	case SPEC_F_WSINCE:
		if (all(r, 0, n, f->a, NAIVE_YES))
			return true;
		/* fall through */
	case SPEC_F_SINCE:
		for (uint32_t k = 0; k <= n; k++)
			if (holds(r, k, f->b) == NAIVE_YES &&
			    (k == n || all(r, k + 1, n, f->a, NAIVE_YES)))
				return true;
		return false;
	case SPEC_F_WINTERVAL:
		if (all(r, 0, n, f->b, NAIVE_NO))
			return true;
		/* fall through */
	case SPEC_F_INTERVAL:
		for (uint32_t k = 0; k <= n; k++)
			if (holds(r, k, f->a) == NAIVE_YES && all(r, k, n, f->b, NAIVE_NO))
				return true;
		return false;
	default:
		abort();
	}
}

static bool is_temporal(const struct spec_form *f)
{
	return f->op >= SPEC_F_PREV && f->op <= SPEC_F_WINTERVAL;
}

static enum naive_truth holds(const struct run *r, uint32_t n, const struct spec_form *f)
{
	enum naive_truth a = f->a != NULL ? holds(r, n, f->a) : NAIVE_NO;
	enum naive_truth b = f->b != NULL ? holds(r, n, f->b) : NAIVE_NO;

	switch (f->op) {
	case SPEC_F_TRUE:
		return NAIVE_YES;
	case SPEC_F_FALSE:
		return NAIVE_NO;
	case SPEC_F_EXPR:
		return naive_truth(&r->state[n], f->expr);
	case SPEC_F_EVENT:
		return r->events[n] >> f->index & 1 ? NAIVE_YES : NAIVE_NO;
	case SPEC_F_NOT:
		return negation(a);
	case SPEC_F_AND:
		return negation(either(negation(a), negation(b)));
	case SPEC_F_OR:
		return either(a, b);
	case SPEC_F_IMPLIES:
		return either(negation(a), b);
	case SPEC_F_PREV:
		return n == 0 ? a : holds(r, n - 1, f->a);
	default:
		break;
	}
	if (a == NAIVE_TROUBLE || b == NAIVE_TROUBLE)
		return NAIVE_TROUBLE;
	if (a == NAIVE_DUNNO || b == NAIVE_DUNNO)
		return NAIVE_DUNNO;
	if (f->op == SPEC_F_IFF)
		return a == b ? NAIVE_YES : NAIVE_NO;
	return temporal(r, n, f) ? NAIVE_YES : NAIVE_NO;
}

/* What a temporal operator anywhere has under it at n, if it is `what'. */
static bool some_operand(const struct run *r, uint32_t n, const struct spec_form *f,
			 enum naive_truth what)
{
	if (f == NULL)
		return false;
	if (is_temporal(f) && ((f->a != NULL && holds(r, n, f->a) == what) ||
			       (f->b != NULL && holds(r, n, f->b) == what)))
		return true;
	return some_operand(r, n, f->a, what) || some_operand(r, n, f->b, what);
}

static enum monitor_verdict defined(const struct run *r, uint32_t n, const struct spec_form *f)
{
	switch (holds(r, n, f)) {
	case NAIVE_NO:
		return MONITOR_BAD;
	case NAIVE_TROUBLE:
		return MONITOR_ERROR;
	case NAIVE_DUNNO:
		return MONITOR_UNKNOWN;
	default:
		break;
	}
	if (some_operand(r, n, f, NAIVE_TROUBLE))
		return MONITOR_ERROR;
	return some_operand(r, n, f, NAIVE_DUNNO) ? MONITOR_UNKNOWN : MONITOR_GOOD;
}

/* ---- runs ---- */

static void random_run(struct trees *t, struct run *r)
{
	bool unknowns = trees_random(t, 4) == 0;

	r->n = LENGTH;
	for (uint32_t n = 0; n < r->n; n++) {
		r->events[n] = n == 0 ? 0 : trees_random(t, 1 << EVENTS);
		r->state[n].thread = n == 0 ? 0 : 1 + trees_random(t, 2);
		for (uint32_t v = 0; v < VARS; v++) {
			bool same = n > 0 && trees_random(t, 2);

			r->state[n].small[v] =
				same ? r->state[n - 1].small[v] : (int)trees_random(t, 5) - 1;
			r->state[n].known[v] = same ? r->state[n - 1].known[v]
						    : !unknowns || trees_random(t, 4) > 0;
			r->values[n][v].raw =
				r->state[n].known[v] ? (uint32_t)r->state[n].small[v] : 0;
			r->values[n][v].known = r->state[n].known[v] ? 15
						: trees_random(t, 2) ? 7
								     : 0;
		}
	}
}

static enum monitor_verdict step(const struct monitor *m, const struct run *r, uint32_t n,
				 const uint8_t *before, uint8_t *after)
{
	struct monitor_input in = { .values = r->values[n],
				    .events = r->events[n],
				    .thread = r->state[n].thread };

	if (n == 0)
		return m->initial(m->self, r->values[0], after);
	return m->step(m->self, before, &in, after);
}

struct tally {
	uint64_t differ, verdicts[4], states_differ;
};

/* The same run twice: states that say the same are the same bytes, whatever lay there. */
static void follow(struct trees *t, const struct monitor *m, const struct spec_form *f,
		   struct tally *all)
{
	uint8_t state[2][2][MONITOR_STATE];
	struct run r;

	random_run(t, &r);
	memset(state[0], 0, sizeof(state[0]));
	memset(state[1], 0xff, sizeof(state[1]));
	for (uint32_t n = 0; n < r.n; n++) {
		unsigned to = n % 2, from = 1 - to;
		enum monitor_verdict got = step(m, &r, n, state[0][from], state[0][to]);
		enum monitor_verdict again = step(m, &r, n, state[1][from], state[1][to]);
		enum monitor_verdict want = defined(&r, n, f);

		all->differ += got != want || again != want;
		all->verdicts[want]++;
		if (got != MONITOR_GOOD)
			return;
		all->states_differ += memcmp(state[0][to], state[1][to], m->size) != 0;
	}
}

static void test_random(unsigned formulas)
{
	struct tally all = { 0 };

	for (unsigned i = 0; i < formulas; i++) {
		struct monitor m = { 0 };
		struct diag d = { 0 };
		struct spec_property *p;
		struct trees t;

		trees_init(&t, VARS, EVENTS, i);
		p = trees_property(&t, SPEC_PTLTL);
		p->form = trees_random_form(&t, 1 + i % 4);
		if (monitor_ptltl_new(&t.spec, p, &m, &d) != ST_OK)
			abort();
		for (unsigned k = 0; k < 8; k++)
			follow(&t, &m, p->form, &all);
		m.free(m.self);
		trees_release(&t);
	}
	TAP_EQ(all.differ, 0, "%u random formulas: verdicts as defined", formulas);
	TAP_EQ(all.states_differ, 0, "states are equal bytes");
	TAP_OK(all.verdicts[MONITOR_GOOD] > formulas && all.verdicts[MONITOR_BAD] > formulas &&
		       all.verdicts[MONITOR_ERROR] > formulas / 10 &&
		       all.verdicts[MONITOR_UNKNOWN] > formulas / 10,
	       "each verdict comes up often");
	printf("# good %lu, bad %lu, error %lu, unknown %lu\n", (long)all.verdicts[0],
	       (long)all.verdicts[1], (long)all.verdicts[2], (long)all.verdicts[3]);
}

/* ---- sizes ---- */

static void describe(const struct monitor *m, struct strbuf *out)
{
	strbuf_clear(out);
	m->describe(m->self, out);
}

static void test_sharing(void)
{
	struct spec_form *x, *y, *f;
	struct strbuf text = { 0 };
	struct monitor m = { 0 };
	struct diag d = { 0 };
	struct spec_property *p;
	struct trees t;

	trees_init(&t, VARS, EVENTS, 1);
	p = trees_property(&t, SPEC_PTLTL);
	x = trees_atom(&t, trees_expr(&t, SPEC_EQ, trees_var(&t, 0), trees_const(&t, 1)));
	y = trees_atom(&t, trees_expr(&t, SPEC_EQ, trees_var(&t, 0), trees_const(&t, 1)));
	f = trees_form(&t, SPEC_F_OR, trees_form(&t, SPEC_F_START, x, NULL),
		       trees_form(&t, SPEC_F_STOP, y, NULL));
	p->form = trees_form(&t, SPEC_F_AND, f, trees_form(&t, SPEC_F_PREV, y, NULL));
	TAP_EQ(monitor_ptltl_new(&t.spec, p, &m, &d), ST_OK,
	       "a formula with the same atom three times");
	describe(&m, &text);
	TAP_STR(strbuf_str(&text), "1 bit, 6 subformulas", "start, end and prev share its bit");
	m.free(m.self);
	strbuf_release(&text);
	trees_release(&t);
}

static void test_huge(void)
{
	struct monitor_value values[VARS] = { { 1, 15 }, { 1, 15 }, { 1, 15 } };
	struct monitor_input in = { .values = values, .thread = 1 };
	enum monitor_verdict last = MONITOR_GOOD;
	static uint8_t state[2][MONITOR_STATE];
	unsigned steps = 0;
	struct monitor m = { 0 };
	struct diag d = { 0 };
	struct spec_property *p;
	struct spec_form *f;
	struct trees t;

	trees_init(&t, VARS, EVENTS, 1);
	p = trees_property(&t, SPEC_PTLTL);
	f = trees_atom(&t, trees_expr(&t, SPEC_EQ, trees_var(&t, 0), trees_const(&t, 1)));
	for (unsigned i = 0; i < SPEC_NODES - 4; i++)
		f = trees_form(&t, SPEC_F_PREV, f, NULL);
	p->form = f;
	TAP_EQ(monitor_ptltl_new(&t.spec, p, &m, &d), ST_OK, "prev, ten thousand times");
	TAP_EQ(m.size, (SPEC_NODES - 4 + 7) / 8, "a bit each");
	TAP_EQ(m.initial(m.self, values, state[0]), MONITOR_GOOD, "true at first");
	values[0].raw = 0;
	for (; last == MONITOR_GOOD && steps < 2 * SPEC_NODES; steps++)
		last = m.step(m.self, state[steps % 2], &in, state[(steps + 1) % 2]);
	TAP_EQ(steps, SPEC_NODES - 4 + 1, "false as many steps later");
	m.free(m.self);
	trees_release(&t);
}

static void test_trouble(void)
{
	struct monitor_value values[VARS] = { { 1, 15 }, { 0, 15 }, { 0, 0 } };
	uint8_t state[MONITOR_STATE];
	struct monitor m = { 0 };
	struct diag d = { 0 };
	struct spec_property *p;
	struct trees t;

	trees_init(&t, VARS, EVENTS, 1);
	p = trees_property(&t, SPEC_PTLTL);
	p->form = trees_atom(
		&t, trees_expr(&t, SPEC_GT,
			       trees_expr(&t, SPEC_DIV, trees_var(&t, 0), trees_var(&t, 1)),
			       trees_const(&t, 0)));
	if (monitor_ptltl_new(&t.spec, p, &m, &d) != ST_OK)
		abort();
	TAP_EQ(m.initial(m.self, values, state), MONITOR_ERROR, "x0 / x1 > 0 with x1 == 0");
	TAP_OK(strstr(strbuf_str(m.trouble), "division by zero in") &&
		       strstr(strbuf_str(m.trouble), "x0") && strstr(strbuf_str(m.trouble), "x1"),
	       "says why");
	values[1].known = 0;
	TAP_EQ(m.initial(m.self, values, state), MONITOR_UNKNOWN, "and with x1 not known");
	TAP_OK(strstr(strbuf_str(m.trouble), "not known in 'x1'") != NULL, "says why");
	m.free(m.self);
	trees_release(&t);
}

int main(void)
{
	test_random(getenv("LONG") != NULL ? 200000 : 5000);
	test_sharing();
	test_huge();
	test_trouble();
	return tap_done();
}
