/*
 * A number is an integer of mathematics or a double.  What two operands make is looked up by the
 * operator; whether a result is one that 64 bits hold is asked at the end of each operation.
 */
#include "witness/value.h"

enum standing { FINE, NONE, OPEN };

struct number {
	enum standing is;
	bool real;
	__int128 whole;
	double f;
	const char *why;
};

static struct number without(enum standing is, const char *why)
{
	return (struct number){ .is = is, .why = why };
}

static struct number whole_number(__int128 n)
{
	if (n > (__int128)UINT64_MAX || n < (__int128)INT64_MIN)
		return without(NONE, "a result does not fit into 64 bits");
	return (struct number){ .whole = n };
}

static struct number real_number(double f)
{
	return (struct number){ .real = true, .f = f };
}

static struct number written_number(const struct spec_number *n)
{
	if (n->is_float)
		return real_number(n->f);
	return whole_number(n->is_big ? (__int128)(uint64_t)n->i : n->i);
}

static double real_of(struct number n)
{
	return n.real ? n.f : (double)n.whole;
}

/* ---- variables ---- */

bool value_number(const struct spec_type *type, const struct value *v, struct spec_number *out)
{
	uint64_t bits = 0;

	*out = (struct spec_number){ 0 };
	for (unsigned i = 0; i < type->size; i++) {
		if (!(v->known & 1u << i))
			return false;
		bits |= (uint64_t)v->byte[i] << 8 * i;
	}
	if (type->kind == SPEC_FLOAT) {
		float narrow;

		out->is_float = true;
		memcpy(&narrow, v->byte, sizeof(narrow));
		memcpy(&out->f, v->byte, sizeof(out->f));
		if (type->size == sizeof(narrow))
			out->f = narrow;
		return true;
	}
	if (type->kind == SPEC_INT && type->is_signed && type->size < 8 &&
	    (v->byte[type->size - 1] & 0x80))
		bits |= UINT64_MAX << 8 * type->size;
	out->i = (int64_t)bits;
	out->is_big = out->i < 0 && !(type->kind == SPEC_INT && type->is_signed);
	return true;
}

bool value_of(const struct spec_type *type, const struct spec_number *n, struct value *out)
{
	struct number number = written_number(n);
	struct spec_number back;
	uint64_t bits;

	*out = (struct value){ .known = (uint8_t)((1u << type->size) - 1) };
	if (type->kind == SPEC_FLOAT) {
		double wide = real_of(number);
		float narrow = (float)wide;

		if (type->size == sizeof(narrow))
			memcpy(out->byte, &narrow, sizeof(narrow));
		else
			memcpy(out->byte, &wide, sizeof(wide));
		return true;
	}
	if (number.real)
		return false;
	bits = (uint64_t)number.whole;
	for (unsigned i = 0; i < type->size; i++)
		out->byte[i] = (uint8_t)(bits >> 8 * i);
	/* It fits if it can be read back. */
	return value_number(type, out, &back) && written_number(&back).whole == number.whole;
}

/* ---- expressions ---- */

struct context {
	const struct spec *spec;
	const struct value *values;
	uint32_t thread;
};

/* All three are false when one of two doubles is no number. */
static struct number comparison(enum spec_expr_op op, bool less, bool same, bool more)
{
	switch (op) {
	case SPEC_EQ:
		return whole_number(same);
	case SPEC_NE:
		return whole_number(!same);
	case SPEC_LT:
		return whole_number(less);
	case SPEC_LE:
		return whole_number(less || same);
	case SPEC_GT:
		return whole_number(more);
	default:
		return whole_number(more || same);
	}
}

static struct number apply_real(enum spec_expr_op op, double a, double b)
{
	switch (op) {
	case SPEC_ADD:
		return real_number(a + b);
	case SPEC_SUB:
		return real_number(a - b);
	case SPEC_MUL:
		return real_number(a * b);
	case SPEC_DIV:
		return b == 0 ? without(NONE, "a division by zero") : real_number(a / b);
	case SPEC_MOD:
		return without(NONE, "a remainder of numbers that are not whole");
	default:
		return comparison(op, a < b, a == b, b < a);
	}
}

static struct number apply_whole(enum spec_expr_op op, __int128 a, __int128 b)
{
	__int128 product;

	switch (op) {
	case SPEC_ADD:
		return whole_number(a + b);
	case SPEC_SUB:
		return whole_number(a - b);
	case SPEC_MUL:
		/* Two of 64 bits may need 128, and a sign. */
		if (__builtin_mul_overflow(a, b, &product))
			return without(NONE, "a result does not fit into 64 bits");
		return whole_number(product);
	case SPEC_DIV:
	case SPEC_MOD:
		if (b == 0)
			return without(NONE, "a division by zero");
		return whole_number(op == SPEC_DIV ? a / b : a % b);
	default:
		return comparison(op, a < b, a == b, b < a);
	}
}

static struct number leaf(const struct context *c, const struct spec_expr *e)
{
	struct spec_number n;

	switch (e->op) {
	case SPEC_CONST:
		return written_number(&e->number);
	case SPEC_TID:
		return whole_number(c->thread);
	case SPEC_VARIABLE:
		if (value_number(&c->spec->variables[e->index].type, &c->values[e->index], &n))
			return written_number(&n);
		return without(OPEN, "a value is not known");
	default:
		return without(OPEN, "what another thread knows is not looked at");
	}
}

static struct number evaluate(const struct context *c, const struct spec_expr *e)
{
	struct number a, b;

	if (e->op == SPEC_CONST || e->op == SPEC_TID || e->op == SPEC_VARIABLE ||
	    e->op == SPEC_REMOTE)
		return leaf(c, e);
	a = evaluate(c, e->a);
	/* -x is 0 - x, but for the sign of a zero. */
	if (e->op == SPEC_NEG)
		return a.is != FINE ? a : a.real ? real_number(-a.f) : whole_number(-a.whole);
	b = evaluate(c, e->b);
	/* An error is there whatever a value is that nobody knows. */
	if (a.is == NONE || b.is == NONE)
		return a.is == NONE ? a : b;
	if (a.is == OPEN || b.is == OPEN)
		return a.is == OPEN ? a : b;
	return a.real || b.real ? apply_real(e->op, real_of(a), real_of(b))
				: apply_whole(e->op, a.whole, b.whole);
}

enum value_truth value_truth(const struct spec *s, const struct spec_expr *e,
			     const struct value *values, uint32_t thread, const char **why)
{
	struct number n = evaluate(&(struct context){ s, values, thread }, e);

	if (n.is != FINE && why)
		*why = n.why;
	if (n.is != FINE)
		return n.is == NONE ? VALUE_NONE : VALUE_OPEN;
	return (n.real ? n.f != 0 : n.whole != 0) ? VALUE_TRUE : VALUE_FALSE;
}
