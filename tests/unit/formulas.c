#include "formulas.h"

#include <assert.h>
#include <stdio.h>

static const char *const relations[] = { "==", "!=", "<", "<=", ">", ">=" };

static int operands(enum formula_op op)
{
	static const int n[] = {
#define X(id, count) count,
		FORMULA_OPS(X)
#undef X
	};

	return n[op];
}

/* ---- making ---- */

static int pick(struct tiny_rng *rng, unsigned mask)
{
	int bit;

	do
		bit = (int)tiny_below(rng, 8);
	while (!(mask >> bit & 1));
	return bit;
}

static void atom(struct formula *f, struct formula_node *x, struct tiny_rng *rng,
		 unsigned variables, unsigned events)
{
	if (tiny_chance(rng, 4))
		return; /* true */
	if (events && tiny_chance(rng, 35)) {
		x->op = FORMULA_EVENT;
		x->event = pick(rng, events);
		f->events |= 1u << x->event;
		return;
	}
	x->op = FORMULA_COMPARE;
	x->variable = pick(rng, variables);
	x->other = tiny_chance(rng, 25) ? pick(rng, variables) : -1;
	x->relation = (int)tiny_below(rng, 6);
	x->number = (int)tiny_below(rng, 3);
	f->variables |= 1u << x->variable;
	if (x->other >= 0)
		f->variables |= 1u << x->other;
}

static int node(struct formula *f, struct tiny_rng *rng, int depth, unsigned variables,
		unsigned events)
{
	int at = f->n++, a;
	struct formula_node *x = &f->at[at];

	assert(f->n <= FORMULA_NODES);
	*x = (struct formula_node){ .op = FORMULA_TRUE };
	if (depth == 0 || tiny_chance(rng, 15)) {
		atom(f, x, rng, variables, events);
		return at;
	}
	x->op = FORMULA_NOT + tiny_below(rng, FORMULA_NOPS - FORMULA_NOT);
	a = node(f, rng, depth - 1, variables, events);
	f->at[at].a = a;
	if (operands(f->at[at].op) == 2) {
		a = node(f, rng, depth - 1, variables, events);
		f->at[at].b = a;
	}
	return at;
}

void formula_random(struct formula *f, struct tiny_rng *rng, unsigned variables, unsigned events)
{
	f->n = 0;
	f->variables = f->events = 0;
	node(f, rng, 1 + (int)tiny_below(rng, 4), variables, events);
}

/* ---- text ---- */

static int print(const struct formula *f, int at, char *out, int max)
{
	static const char *const words[] = {
		[FORMULA_NOT] = "!",	     [FORMULA_PREV] = "prev ",
		[FORMULA_ONCE] = "once ",    [FORMULA_HIST] = "hist ",
		[FORMULA_START] = "start ",  [FORMULA_END] = "end ",
		[FORMULA_AND] = " && ",	     [FORMULA_OR] = " || ",
		[FORMULA_IMPLIES] = " -> ",  [FORMULA_IFF] = " <-> ",
		[FORMULA_SINCE] = " since ", [FORMULA_WSINCE] = " wsince ",
	};
	const struct formula_node *x = &f->at[at];
	bool interval = x->op == FORMULA_INTERVAL || x->op == FORMULA_WINTERVAL;
	int n = 0;

#define PUT(...) (n += snprintf(out + n, (size_t)(max - n), __VA_ARGS__), assert(n < max))
	if (x->op == FORMULA_TRUE) {
		PUT("true");
	} else if (x->op == FORMULA_EVENT) {
		PUT("e%d()", x->event);
	} else if (x->op == FORMULA_COMPARE) {
		PUT("%c", "xyz"[x->variable]);
		if (x->other >= 0)
			PUT(" + %c", "xyz"[x->other]);
		PUT(" %s %d", relations[x->relation], x->number);
	} else if (operands(x->op) == 1) {
		PUT("%s(", words[x->op]);
		n += print(f, x->a, out + n, max - n);
		PUT(")");
	} else {
		PUT(interval ? "[" : "(");
		n += print(f, x->a, out + n, max - n);
		PUT("%s", interval ? ", " : words[x->op]);
		n += print(f, x->b, out + n, max - n);
		PUT(x->op == FORMULA_WINTERVAL ? ")w" : ")");
	}
#undef PUT
	return n;
}

size_t formula_print(const struct formula *f, char *out, size_t max)
{
	return (size_t)print(f, 0, out, (int)max);
}

/* ---- truth ---- */

static bool compare(const struct formula_node *x, const struct formula_state *s)
{
	int v = s->value[x->variable] + (x->other >= 0 ? s->value[x->other] : 0), k = x->number;

	switch (x->relation) {
	case 0:
		return v == k;
	case 1:
		return v != k;
	case 2:
		return v < k;
	case 3:
		return v <= k;
	case 4:
		return v > k;
	default:
		return v >= k;
	}
}

static bool holds(const struct formula *f, int at, const struct formula_state *s, int n)
{
	const struct formula_node *x = &f->at[at];
	bool first = n == 1;

#define A(k) holds(f, x->a, s, k)
#define B(k) holds(f, x->b, s, k)
#define SAME(k) holds(f, at, s, k)
	switch (x->op) {
	case FORMULA_COMPARE:
		return compare(x, &s[n - 1]);
	case FORMULA_EVENT:
		return s[n - 1].events >> x->event & 1;
	case FORMULA_NOT:
		return !A(n);
	case FORMULA_PREV:
		return first ? A(1) : A(n - 1);
	case FORMULA_ONCE:
		return A(n) || (!first && SAME(n - 1));
	case FORMULA_HIST:
		return A(n) && (first || SAME(n - 1));
	case FORMULA_START:
		return !first && A(n) && !A(n - 1);
	case FORMULA_END:
		return !first && !A(n) && A(n - 1);
	case FORMULA_AND:
		return A(n) && B(n);
	case FORMULA_OR:
		return A(n) || B(n);
	case FORMULA_IMPLIES:
		return !A(n) || B(n);
	case FORMULA_IFF:
		return A(n) == B(n);
	case FORMULA_SINCE:
		return B(n) || (!first && A(n) && SAME(n - 1));
	case FORMULA_WSINCE:
		return B(n) || (A(n) && (first || SAME(n - 1)));
	case FORMULA_INTERVAL:
		return !B(n) && (A(n) || (!first && SAME(n - 1)));
	case FORMULA_WINTERVAL:
		return !B(n) && (first || A(n) || SAME(n - 1));
	default:
		return true;
	}
#undef A
#undef B
#undef SAME
}

bool formula_holds(const struct formula *f, const struct formula_state *states, int n)
{
	return holds(f, 0, states, n);
}
