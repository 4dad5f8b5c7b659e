/*
 * Regular expressions: random ones against two models that know no derivatives.
 *
 *	matches()	the definition: a word is in r s if some split of it is, in ~r if not in r
 *	struct dfa	automata, built bottom-up by products and sets of states, made minimal after
 *			each operation; says for `must' whether anything can still match
 *
 * They are held against each other too.
 */
#include <stdlib.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "monitor/monitor.h"
#include "unit/spec_trees.h"
#include "unit/tap.h"

#define EVENTS 3
#define LENGTH 6
#define LETTERS 7  /* sets of three events, not empty: letter i is the set i + 1 */
#define STATES 400 /* of an automaton in the making; those kept have at most 64 */

/* ---- the definition ---- */

static bool matches(const struct spec_rx *r, const uint64_t *w, unsigned n)
{
	switch (r->op) {
	case SPEC_RX_EMPTY:
		return n == 0;
	case SPEC_RX_EVENT:
		return n == 1 && (w[0] >> r->index & 1);
	case SPEC_RX_ANY:
		return n == 1;
	case SPEC_RX_CAT:
		for (unsigned k = 0; k <= n; k++)
			if (matches(r->a, w, k) && matches(r->b, w + k, n - k))
				return true;
		return false;
	case SPEC_RX_OR:
		return matches(r->a, w, n) || matches(r->b, w, n);
	case SPEC_RX_AND:
		return matches(r->a, w, n) && matches(r->b, w, n);
	case SPEC_RX_NOT:
		return !matches(r->a, w, n);
	case SPEC_RX_OPT:
		return n == 0 || matches(r->a, w, n);
	case SPEC_RX_PLUS:
		if (matches(r->a, w, n))
			return true;
		break;
	case SPEC_RX_STAR:
		if (n == 0)
			return true;
		break;
	}
	/* One round of at least a letter, then more rounds. */
	for (unsigned k = 1; k <= n; k++) {
		struct spec_rx star = { .op = SPEC_RX_STAR, .a = r->a };

		if (matches(r->a, w, k) && matches(&star, w + k, n - k))
			return true;
	}
	return false;
}

/* ---- automata ---- */

struct dfa {
	unsigned n; /* state 0 is the first */
	uint16_t to[STATES][LETTERS];
	bool accepts[STATES];
};

/* Merges states that nothing tells apart.  False: more than 64 are left. */
static bool dfa_minimise(struct dfa *d)
{
	uint16_t class[STATES] = { 0 }, next[STATES], first[STATES];
	unsigned n = 0, before;
	struct dfa m;

	for (unsigned i = 0; i < d->n; i++)
		class[i] = d->accepts[i] != d->accepts[0];
	do {
		before = n;
		n = 0;
		for (unsigned i = 0; i < d->n; i++) {
			unsigned k = 0;

			for (; k < n; k++) {
				bool same = class[first[k]] == class[i];

				for (unsigned l = 0; l < LETTERS && same; l++)
					same = class[d->to[first[k]][l]] == class[d->to[i][l]];
				if (same)
					break;
			}
			if (k == n)
				first[n++] = (uint16_t)i;
			next[i] = (uint16_t)k;
		}
		memcpy(class, next, sizeof(class));
	} while (n != before);
	m.n = n;
	for (unsigned k = 0; k < n; k++) {
		m.accepts[k] = d->accepts[first[k]];
		for (unsigned l = 0; l < LETTERS; l++)
			m.to[k][l] = class[d->to[first[k]][l]];
	}
	*d = m;
	return n <= 64;
}

/* States of automata in the making: a state of one, a set of states (or one) of another. */
struct maker {
	unsigned n;
	uint64_t a[STATES], b[STATES];
};

/* The number of (a, b); STATES: no room. */
static unsigned maker_state(struct maker *m, uint64_t a, uint64_t b)
{
	unsigned i = 0;

	while (i < m->n && (m->a[i] != a || m->b[i] != b))
		i++;
	if (i == m->n && i < STATES) {
		m->a[i] = a;
		m->b[i] = b;
		m->n++;
	}
	return i;
}

static uint64_t set_step(const struct dfa *d, uint64_t set, unsigned letter)
{
	uint64_t out = 0;

	for (; set != 0; set &= set - 1)
		out |= UINT64_C(1) << d->to[__builtin_ctzll(set)][letter];
	return out;
}

static bool set_accepts(const struct dfa *d, uint64_t set)
{
	for (; set != 0; set &= set - 1)
		if (d->accepts[__builtin_ctzll(set)])
			return true;
	return false;
}

static bool dfa_of(const struct spec_rx *r, struct dfa *out);

/* Successor of a state (a, b) of the automaton for `op' over x and y. */
static void pair_step(enum spec_rx_op op, const struct dfa *x, const struct dfa *y, unsigned letter,
		      uint64_t *a, uint64_t *b)
{
	switch (op) {
	case SPEC_RX_CAT: /* a: state of x, b: set of y; y starts wherever x accepts */
		*b = set_step(y, *b, letter);
		*a = x->to[*a][letter];
		*b |= x->accepts[*a];
		break;
	case SPEC_RX_STAR: /* b: set of x; a: 1 at first, when no round is begun */
		*b = set_step(x, *b, letter);
		*b |= set_accepts(x, *b);
		*a = 0;
		break;
	default:
		*a = x->to[*a][letter];
		*b = y->to[*b][letter];
	}
}

static bool pair_accepts(enum spec_rx_op op, const struct dfa *x, const struct dfa *y, uint64_t a,
			 uint64_t b)
{
	switch (op) {
	case SPEC_RX_CAT:
		return set_accepts(y, b);
	case SPEC_RX_STAR:
		return a == 1 || set_accepts(x, b);
	case SPEC_RX_OR:
		return x->accepts[a] || y->accepts[b];
	default:
		return x->accepts[a] && y->accepts[b];
	}
}

static bool dfa_combine(enum spec_rx_op op, const struct dfa *x, const struct dfa *y,
			struct dfa *out)
{
	struct maker *m = calloc(1, sizeof(*m));
	bool fine = true;

	if (op == SPEC_RX_CAT)
		maker_state(m, 0, x->accepts[0]);
	else if (op == SPEC_RX_STAR)
		maker_state(m, 1, 1);
	else
		maker_state(m, 0, 0);
	for (unsigned i = 0; i < m->n && fine; i++) {
		out->accepts[i] = pair_accepts(op, x, y, m->a[i], m->b[i]);
		for (unsigned l = 0; l < LETTERS && fine; l++) {
			uint64_t a = m->a[i], b = m->b[i];
			unsigned to;

			pair_step(op, x, y, l, &a, &b);
			to = maker_state(m, a, b);
			fine = to < STATES;
			out->to[i][l] = (uint16_t)to;
		}
	}
	out->n = m->n;
	free(m);
	return fine && dfa_minimise(out);
}

/* 0: the word so far is empty, 1: one letter that will do, 2: no more. */
static void dfa_leaf(const struct spec_rx *r, struct dfa *out)
{
	out->n = 3;
	for (unsigned l = 0; l < LETTERS; l++) {
		bool fits = r->op == SPEC_RX_ANY ||
			    (r->op == SPEC_RX_EVENT && ((l + 1) >> r->index & 1));

		out->to[0][l] = fits ? 1 : 2;
		out->to[1][l] = out->to[2][l] = 2;
	}
	out->accepts[0] = r->op == SPEC_RX_EMPTY;
	out->accepts[1] = r->op != SPEC_RX_EMPTY;
	out->accepts[2] = false;
}

static bool dfa_of(const struct spec_rx *r, struct dfa *out)
{
	struct dfa *x, *y;
	bool fine;

	if (r->op <= SPEC_RX_ANY) {
		dfa_leaf(r, out);
		return true;
	}
	x = calloc(2, sizeof(*x));
	y = x + 1;
	fine = dfa_of(r->a, x) && (r->b == NULL || dfa_of(r->b, y));
	switch (fine ? r->op : SPEC_RX_EMPTY) {
	case SPEC_RX_NOT:
		*out = *x;
		for (unsigned i = 0; i < out->n; i++)
			out->accepts[i] = !out->accepts[i];
		break;
	case SPEC_RX_OPT:
		dfa_leaf(&(struct spec_rx){ .op = SPEC_RX_EMPTY }, y);
		fine = dfa_combine(SPEC_RX_OR, x, y, out);
		break;
	case SPEC_RX_PLUS:
		fine = dfa_combine(SPEC_RX_STAR, x, x, y);
		fine = fine && dfa_combine(SPEC_RX_CAT, x, y, out);
		break;
	case SPEC_RX_EMPTY:
		break;
	default:
		fine = dfa_combine(r->op, x, y, out);
	}
	free(x);
	return fine;
}

/* From this state some word of letters in the set leads to acceptance. */
static bool dfa_can_accept(const struct dfa *d, unsigned from, unsigned letters)
{
	bool seen[STATES] = { 0 };
	unsigned queue[STATES], n = 0;

	queue[n++] = from;
	seen[from] = true;
	for (unsigned i = 0; i < n; i++) {
		if (d->accepts[queue[i]])
			return true;
		for (unsigned l = 0; l < LETTERS; l++) {
			unsigned to = d->to[queue[i]][l];

			if ((letters >> l & 1) && !seen[to]) {
				seen[to] = true;
				queue[n++] = to;
			}
		}
	}
	return false;
}

/* ---- both against the monitor ---- */

struct tally {
	uint64_t never, must, models, bad[2], good[2], skipped;
};

/* Letters: with calls of different functions one event at a time, with writes any set. */
static void events_kind(struct trees *t, bool writes)
{
	for (uint32_t i = 0; i < t->spec.nevents && writes; i++) {
		t->spec.events[i].op = SPEC_WRITE;
		t->spec.events[i].variable = (int32_t)i;
	}
}

static void follow(struct trees *t, const struct spec_property *p, const struct monitor *m,
		   const struct dfa *d, bool writes, struct tally *all)
{
	/* Bits of letters {e0}, {e1}, {e2}: sets 1, 2, 4. */
	unsigned letters = writes ? 0x7f : 0xb, at = 0;
	uint8_t state[2][4];
	uint64_t word[LENGTH];

	for (unsigned n = 0; n <= LENGTH; n++) {
		bool must = p->body == SPEC_ERE_MUST;
		bool in = matches(p->rx, word, n);
		bool want = must ? !dfa_can_accept(d, at, letters) : in;
		struct monitor_input input = { .events = n > 0 ? word[n - 1] : 0 };
		enum monitor_verdict v =
			n == 0 ? m->initial(m->self, NULL, state[0])
			       : m->step(m->self, state[(n + 1) % 2], &input, state[n % 2]);

		all->models += in != d->accepts[at];
		*(must ? &all->must : &all->never) += v != (want ? MONITOR_BAD : MONITOR_GOOD);
		(want ? all->bad : all->good)[must]++;
		if (v != MONITOR_GOOD || n == LENGTH)
			return;
		word[n] = writes ? 1 + trees_random(t, LETTERS) : UINT64_C(1) << trees_random(t, 3);
		at = d->to[at][word[n] - 1];
	}
}

static void try_one(struct trees *t, unsigned i, struct tally *all)
{
	static struct dfa d;
	struct spec_property *p = trees_property(t, i % 2 ? SPEC_ERE_MUST : SPEC_ERE_NEVER);
	struct monitor m = { 0 };
	struct diag diag = { 0 };

	events_kind(t, i / 2 % 2);
	p->rx = trees_random_rx(t, 1 + i / 4 % 5);
	if (!dfa_of(p->rx, &d)) {
		all->skipped++;
		return;
	}
	if (monitor_ere_new(&t->spec, p, &m, &diag) != ST_OK)
		abort();
	for (unsigned k = 0; k < 6; k++)
		follow(t, p, &m, &d, i / 2 % 2, all);
	m.free(m.self);
}

static void test_random(unsigned count)
{
	struct tally all = { 0 };

	for (unsigned i = 0; i < count; i++) {
		struct trees t;

		trees_init(&t, EVENTS, EVENTS, i);
		try_one(&t, i, &all);
		trees_release(&t);
	}
	TAP_EQ(all.models, 0, "%u random expressions: the two models agree", count);
	TAP_EQ(all.never, 0, "never: bad exactly when a prefix matches");
	TAP_EQ(all.must, 0, "must: bad exactly when nothing can match any more");
	TAP_OK(all.bad[0] > count / 10 && all.good[0] > count / 2 && all.bad[1] > count / 10 &&
		       all.good[1] > count / 2 && all.skipped < count / 10,
	       "both verdicts come up, few were too big for the model");
	printf("# never: %lu bad, %lu good; must: %lu bad, %lu good; skipped %lu\n",
	       (long)all.bad[0], (long)all.good[0], (long)all.bad[1], (long)all.good[1],
	       (long)all.skipped);
}

/* ---- by hand ---- */

static void test_both_at_once(void)
{
	struct spec_property *p;
	struct monitor m = { 0 };
	struct diag d = { 0 };
	uint8_t state[4];
	struct trees t;

	trees_init(&t, 2, 2, 1);
	p = trees_property(&t, SPEC_ERE_MUST);
	p->rx = trees_rx(&t, SPEC_RX_AND, trees_letter(&t, 0), trees_letter(&t, 1));
	if (monitor_ere_new(&t.spec, p, &m, &d) != ST_OK)
		abort();
	TAP_EQ(m.initial(m.self, NULL, state), MONITOR_BAD, "f & g: no call is one of both");
	m.free(m.self);
	events_kind(&t, true);
	if (monitor_ere_new(&t.spec, p, &m, &d) != ST_OK)
		abort();
	TAP_EQ(m.initial(m.self, NULL, state), MONITOR_GOOD, "but a write may be one of x and y");
	m.free(m.self);
	trees_release(&t);
}

/* (a|b)* a (a|b)^n: two to the n states. */
static struct spec_rx *big(struct trees *t, unsigned n)
{
	struct spec_rx *either = trees_rx(t, SPEC_RX_OR, trees_letter(t, 0), trees_letter(t, 1));
	struct spec_rx *r = trees_rx(t, SPEC_RX_CAT, trees_rx(t, SPEC_RX_STAR, either, NULL),
				     trees_letter(t, 0));

	for (unsigned i = 0; i < n; i++)
		r = trees_rx(t, SPEC_RX_CAT, r, either);
	return r;
}

/* The same with `must': an intersection of which no word is, though it does not look so. */
static struct spec_rx *big_empty(struct trees *t, unsigned n)
{
	struct spec_rx *more = trees_rx(t, SPEC_RX_OR, big(t, n), big(t, 3));

	return trees_rx(t, SPEC_RX_AND, big(t, n), trees_rx(t, SPEC_RX_NOT, more, NULL));
}

/* Random words until the verdict is v: how many letters, at most `most'. */
static unsigned walk(struct trees *t, struct monitor *m, enum monitor_verdict v, unsigned most)
{
	enum monitor_verdict last = MONITOR_GOOD;
	uint8_t state[2][4];
	unsigned n = 0;

	for (; last != v && n < most; n++) {
		struct monitor_input in = { .events = UINT64_C(1) << trees_random(t, 2) };

		last = n % 50 == 0 ? m->initial(m->self, NULL, state[n % 2])
				   : m->step(m->self, state[(n + 1) % 2], &in, state[n % 2]);
	}
	return n;
}

static void test_blow_up(enum spec_body body)
{
	struct strbuf text = { 0 };
	struct monitor m = { 0 };
	struct diag d = { 0 };
	struct spec_property *p;
	struct trees t;
	unsigned n;

	trees_init(&t, 2, 2, 1);
	p = trees_property(&t, body);
	p->rx = big(&t, 10);
	if (monitor_ere_new(&t.spec, p, &m, &d) != ST_OK)
		abort();
	m.describe(m.self, &text);
	printf("# %s\n", strbuf_str(&text));
	n = walk(&t, &m, MONITOR_UNKNOWN, 100000);
	TAP_EQ(n, 100000, "2^11 states: always an answer");
	TAP_STR(strbuf_str(m.trouble), "", "no trouble");
	m.free(m.self);

	p->rx = body == SPEC_ERE_NEVER ? big(&t, 30) : big_empty(&t, 30);
	if (monitor_ere_new(&t.spec, p, &m, &d) != ST_OK)
		abort();
	n = walk(&t, &m, MONITOR_UNKNOWN, 1000000);
	TAP_OK(n < 1000000, "2^31 states: unknown in the end");
	TAP_STR(strbuf_str(m.trouble), "the regular expression has too many states", "says why");
	strbuf_clear(&text);
	m.describe(m.self, &text);
	TAP_OK(strncmp(strbuf_str(&text), "more than 10000 states", 22) == 0, "described so");
	m.free(m.self);
	strbuf_release(&text);
	trees_release(&t);
}

/* As long as a property may be. */
static void test_long(void)
{
	struct spec_rx *r;
	struct monitor m = { 0 };
	struct diag d = { 0 };
	struct spec_property *p;
	uint8_t state[2][4];
	enum monitor_verdict v;
	unsigned n = 0;
	struct trees t;

	trees_init(&t, 2, 2, 1);
	p = trees_property(&t, SPEC_ERE_NEVER);
	r = trees_letter(&t, 0);
	for (unsigned i = 0; i < 4990; i++)
		r = trees_rx(&t, SPEC_RX_CAT, r, trees_letter(&t, 0));
	p->rx = r;
	TAP_EQ(monitor_ere_new(&t.spec, p, &m, &d), ST_OK, "a long sequence");
	v = m.initial(m.self, NULL, state[0]);
	for (; v == MONITOR_GOOD && n < 10000; n++) {
		struct monitor_input in = { .events = 1 };

		v = m.step(m.self, state[n % 2], &in, state[(n + 1) % 2]);
	}
	TAP_EQ(v, MONITOR_BAD, "matches");
	TAP_EQ(n, 4991, "after as many letters");
	m.free(m.self);
	trees_release(&t);
}

int main(void)
{
	test_random(getenv("LONG") != NULL ? 400000 : 20000);
	test_both_at_once();
	test_blow_up(SPEC_ERE_NEVER);
	test_blow_up(SPEC_ERE_MUST);
	test_long();
	return tap_done();
}
