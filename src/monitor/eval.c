/*
 * Expressions, by walking the tree.
 *
 * A result is a number, or has no value (error), or none that is known.  Arithmetic is strict: an
 * operand in error makes an error, else one that is not known makes the result unknown.  The error
 * comes first because it is there whatever the unknown value is.
 */
#include "monitor/eval.h"

struct result {
	enum { FINE, ERROR, UNKNOWN } state;
	bool is_float;
	union {
		__int128 i; /* in INT64_MIN .. UINT64_MAX */
		double f;
	};
	const struct spec_expr *at; /* not FINE: where, and */
	const char *why;
};

struct context {
	const struct spec *spec;
	const struct monitor_value *values;
	uint32_t thread;
};

static struct result failed(int state, const struct spec_expr *at, const char *why)
{
	return (struct result){ .state = state, .at = at, .why = why };
}

static struct result integer(__int128 i, const struct spec_expr *at)
{
	if (i < INT64_MIN || i > (__int128)UINT64_MAX)
		return failed(ERROR, at, "result that 64 bits do not hold");
	return (struct result){ .i = i };
}

static struct result real(double f)
{
	return (struct result){ .is_float = true, .f = f };
}

static struct result from_number(const struct spec_number *n)
{
	if (n->is_float)
		return real(n->f);
	return (struct result){ .i = n->is_big ? (__int128)(uint64_t)n->i : (__int128)n->i };
}

static double as_double(const struct result *r)
{
	return r->is_float ? r->f : (double)r->i;
}

bool eval_is_known(const struct spec_type *type, const struct monitor_value *v)
{
	unsigned all = (1u << type->size) - 1;

	return (v->known & all) == all;
}

struct spec_number eval_number(const struct spec_type *type, uint64_t raw)
{
	struct spec_number n = { 0 };
	unsigned unused = 64 - 8u * type->size;

	if (type->kind == SPEC_FLOAT) {
		n.is_float = true;
		if (type->size == 4) {
			uint32_t low = (uint32_t)raw;
			float f;

			memcpy(&f, &low, sizeof(f));
			n.f = f;
		} else {
			memcpy(&n.f, &raw, sizeof(n.f));
		}
	} else if (type->kind == SPEC_INT && type->is_signed) {
		n.i = (int64_t)(raw << unused) >> unused;
	} else {
		n.i = (int64_t)(raw << unused >> unused);
		n.is_big = n.i < 0;
	}
	return n;
}

static struct result variable(const struct context *c, const struct spec_expr *e)
{
	const struct spec_type *type = &c->spec->variables[e->index].type;
	const struct monitor_value *v = &c->values[e->index];
	struct spec_number n;

	if (!eval_is_known(type, v))
		return failed(UNKNOWN, e, "value that is not known");
	n = eval_number(type, v->raw);
	return from_number(&n);
}

static struct result divide(const struct spec_expr *e, const struct result *a,
			    const struct result *b)
{
	if (a->is_float || b->is_float) {
		if (e->op == SPEC_MOD)
			return failed(ERROR, e, "remainder of numbers that are not whole");
		if (as_double(b) == 0)
			return failed(ERROR, e, "division by zero");
		return real(as_double(a) / as_double(b));
	}
	if (b->i == 0)
		return failed(ERROR, e, "division by zero");
	return integer(e->op == SPEC_DIV ? a->i / b->i : a->i % b->i, e);
}

static struct result calculate(const struct spec_expr *e, const struct result *a,
			       const struct result *b)
{
	bool f = a->is_float || b->is_float;
	__int128 i;

	switch (e->op) {
	case SPEC_ADD:
		return f ? real(as_double(a) + as_double(b)) : integer(a->i + b->i, e);
	case SPEC_SUB:
		return f ? real(as_double(a) - as_double(b)) : integer(a->i - b->i, e);
	case SPEC_MUL:
		if (f)
			return real(as_double(a) * as_double(b));
		/* UINT64_MAX squared is more than 127 bits hold. */
		if (__builtin_mul_overflow(a->i, b->i, &i))
			return failed(ERROR, e, "result that 64 bits do not hold");
		return integer(i, e);
	default:
		return divide(e, a, b);
	}
}

/* How two numbers are to one another; NaN is to none in any way but the last. */
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static bool compare(enum spec_expr_op op, const struct result *a, const struct result *b)
{
	static const uint8_t holds[] = {
		[SPEC_EQ] = EQUAL,   [SPEC_NE] = LESS | GREATER | UNORDERED,
		[SPEC_LT] = LESS,    [SPEC_LE] = LESS | EQUAL,
		[SPEC_GT] = GREATER, [SPEC_GE] = GREATER | EQUAL,
	};
	double x, y;

	assert(op >= SPEC_EQ && op <= SPEC_GE);
	if (!a->is_float && !b->is_float)
		return holds[op] & (a->i < b->i ? LESS : a->i == b->i ? EQUAL : GREATER);
	x = as_double(a);
	y = as_double(b);
	return holds[op] & (x < y ? LESS : x == y ? EQUAL : x > y ? GREATER : UNORDERED);
}

static struct result evaluate(const struct context *c, const struct spec_expr *e)
{
	struct result a, b;

	switch (e->op) {
	case SPEC_CONST:
		return from_number(&e->number);
	case SPEC_VARIABLE:
		return variable(c, e);
	case SPEC_TID:
		return integer(c->thread, e);
	case SPEC_REMOTE:
		return failed(UNKNOWN, e, "value of another thread, which only mttl has");
	default:
		break;
	}
	a = evaluate(c, e->a);
	if (a.state == ERROR)
		return a;
	if (e->op == SPEC_NEG) {
		if (a.state != FINE)
			return a;
		return a.is_float ? real(-a.f) : integer(-a.i, e);
	}
	b = evaluate(c, e->b);
	if (b.state == ERROR || a.state == FINE) {
		if (b.state != FINE)
			return b;
		if (e->op >= SPEC_EQ)
			return integer(compare(e->op, &a, &b), e);
		return calculate(e, &a, &b);
	}
	return a;
}

enum eval_truth eval_truth(const struct spec *s, const struct spec_expr *e,
			   const struct monitor_value *values, uint32_t thread)
{
	struct result r = evaluate(&(struct context){ s, values, thread }, e);

	if (r.state != FINE)
		return r.state == ERROR ? EVAL_ERROR : EVAL_UNKNOWN;
	return (r.is_float ? r.f != 0 : r.i != 0) ? EVAL_TRUE : EVAL_FALSE;
}

void eval_explain(const struct spec *s, const struct spec_expr *e,
		  const struct monitor_value *values, uint32_t thread, struct strbuf *out)
{
	struct result r = evaluate(&(struct context){ s, values, thread }, e);

	if (r.state == FINE)
		return;
	strbuf_addf(out, "%s in '", r.why);
	spec_print_expr(s, r.at, out);
	strbuf_addf(out, "', line %" PRIu32, r.at->spot.line);
}

static bool float_raw(const struct spec_type *type, const struct spec_number *number, uint64_t *raw)
{
	struct result r = from_number(number);
	double f = as_double(&r);
	float narrow = (float)f;

	*raw = 0;
	memcpy(raw, type->size == 4 ? (void *)&narrow : &f, type->size);
	return true;
}

bool eval_raw(const struct spec_type *type, const struct spec_number *number, uint64_t *raw)
{
	unsigned bits = 8u * type->size;
	bool is_signed = type->kind == SPEC_INT && type->is_signed;
	__int128 i, low, high;

	if (type->kind == SPEC_FLOAT)
		return float_raw(type, number, raw);
	if (number->is_float)
		return false;
	i = number->is_big ? (__int128)(uint64_t)number->i : (__int128)number->i;
	low = is_signed ? -((__int128)1 << (bits - 1)) : 0;
	high = ((__int128)1 << (is_signed ? bits - 1 : bits)) - 1;
	if (i < low || i > high)
		return false;
	*raw = (uint64_t)i << (64 - bits) >> (64 - bits);
	return true;
}

/* In as few digits as give the same number again. */
static void print_double(const struct spec_type *type, double f, struct strbuf *out)
{
	char text[40];

	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, f);
		if (type->size == 4 ? strtof(text, NULL) == (float)f : strtod(text, NULL) == f)
			break;
	}
	strbuf_adds(out, text);
}

void eval_print(const struct spec_type *type, const struct monitor_value *v, struct strbuf *out)
{
	struct spec_number n;

	if (!eval_is_known(type, v)) {
		strbuf_adds(out, "?");
		return;
	}
	n = eval_number(type, v->raw);
	if (n.is_float)
		print_double(type, n.f, out);
	else if (type->kind == SPEC_POINTER && n.i == 0)
		strbuf_adds(out, "NULL");
	else if (type->kind == SPEC_POINTER)
		strbuf_addf(out, "0x%" PRIx64, (uint64_t)n.i);
	else if (n.is_big)
		strbuf_addf(out, "%" PRIu64, (uint64_t)n.i);
	else
		strbuf_addf(out, "%" PRId64, n.i);
}
