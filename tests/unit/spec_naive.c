#include "unit/spec_naive.h"

struct number {
	enum naive_truth state; /* NAIVE_YES: there is one */
	long long v;
};

static long long apply(enum spec_expr_op op, long long a, long long b)
{
	switch (op) {
	case SPEC_NEG:
		return -a;
	case SPEC_ADD:
		return a + b;
	case SPEC_SUB:
		return a - b;
	case SPEC_MUL:
		return a * b;
	case SPEC_DIV:
		return a / b;
	case SPEC_MOD:
		return a % b;
	case SPEC_EQ:
		return a == b;
	case SPEC_NE:
		return a != b;
	case SPEC_LT:
		return a < b;
	case SPEC_LE:
		return a <= b;
	case SPEC_GT:
		return a > b;
	default:
		return a >= b;
	}
}

static struct number number(const struct naive_state *s, const struct spec_expr *e)
{
	struct number a, b;

	if (e->op == SPEC_CONST)
		return (struct number){ NAIVE_YES, e->number.i };
	if (e->op == SPEC_TID)
		return (struct number){ NAIVE_YES, s->thread };
	if (e->op == SPEC_VARIABLE)
		return (struct number){ s->known[e->index] ? NAIVE_YES : NAIVE_DUNNO,
					s->small[e->index] };
	a = number(s, e->a);
	b = e->b != NULL ? number(s, e->b) : (struct number){ NAIVE_YES, 0 };
	if (a.state == NAIVE_TROUBLE || b.state == NAIVE_TROUBLE)
		return (struct number){ NAIVE_TROUBLE, 0 };
	if (a.state == NAIVE_DUNNO || b.state == NAIVE_DUNNO)
		return (struct number){ NAIVE_DUNNO, 0 };
	if ((e->op == SPEC_DIV || e->op == SPEC_MOD) && b.v == 0)
		return (struct number){ NAIVE_TROUBLE, 0 };
	return (struct number){ NAIVE_YES, apply(e->op, a.v, b.v) };
}

enum naive_truth naive_truth(const struct naive_state *s, const struct spec_expr *e)
{
	struct number n = number(s, e);

	return n.state != NAIVE_YES ? n.state : n.v != 0 ? NAIVE_YES : NAIVE_NO;
}
