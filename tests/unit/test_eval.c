/*
 * Expressions: types and their bytes, the ends of ranges, what has no value, and what is printed.
 */
#include <float.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "monitor/eval.h"
#include "unit/spec_trees.h"
#include "unit/tap.h"

static const struct spec_type types[] = {
	{ SPEC_INT, 1, true, "signed char" }, { SPEC_INT, 1, false, "unsigned char" },
	{ SPEC_INT, 2, true, "short" },	      { SPEC_INT, 4, true, "int" },
	{ SPEC_INT, 4, false, "unsigned" },   { SPEC_INT, 8, true, "long" },
	{ SPEC_INT, 8, false, "uint64_t" },   { SPEC_FLOAT, 4, true, "float" },
	{ SPEC_FLOAT, 8, true, "double" },    { SPEC_POINTER, 8, false, "void *" },
};

enum { SCHAR, UCHAR, SHORT, INT, UNSIGNED, LONG, U64, FLOAT, DOUBLE, POINTER, NTYPES };

static const char *const answers[] = { "false", "true", "error", "unknown" };

static struct trees t;
static struct monitor_value values[NTYPES];

static uint64_t bits(double f)
{
	uint64_t raw;

	memcpy(&raw, &f, sizeof(raw));
	return raw;
}

static struct spec_expr *c(int64_t i)
{
	return trees_const(&t, i);
}

static struct spec_expr *u(uint64_t i)
{
	struct spec_expr *e = trees_const(&t, (int64_t)i);

	e->number.is_big = (int64_t)i < 0;
	return e;
}

static struct spec_expr *f(double x)
{
	return trees_real(&t, x);
}

static struct spec_expr *v(uint32_t type)
{
	return trees_var(&t, type);
}

static struct spec_expr *op(enum spec_expr_op o, struct spec_expr *a, struct spec_expr *b)
{
	return trees_expr(&t, o, a, b);
}

static void is(struct spec_expr *e, enum eval_truth want, const char *name)
{
	TAP_STR(answers[eval_truth(&t.spec, e, values, 3)], answers[want], "%s", name);
}

static void test_types(void)
{
	for (unsigned i = 0; i < NTYPES; i++)
		values[i] = (struct monitor_value){ UINT64_MAX, 0xff };
	is(op(SPEC_EQ, v(SCHAR), c(-1)), EVAL_TRUE, "signed char of all ones");
	is(op(SPEC_EQ, v(UCHAR), c(255)), EVAL_TRUE, "unsigned char");
	is(op(SPEC_EQ, v(SHORT), c(-1)), EVAL_TRUE, "short");
	is(op(SPEC_EQ, v(UNSIGNED), c(4294967295)), EVAL_TRUE, "unsigned");
	is(op(SPEC_EQ, v(LONG), c(-1)), EVAL_TRUE, "long");
	is(op(SPEC_EQ, v(U64), u(UINT64_MAX)), EVAL_TRUE, "uint64_t");
	is(op(SPEC_GT, v(U64), c(0)), EVAL_TRUE, "it is positive");
	is(op(SPEC_LT, v(LONG), v(U64)), EVAL_TRUE, "-1 is less than any unsigned number");
	is(op(SPEC_NE, v(POINTER), c(0)), EVAL_TRUE, "a pointer that is not NULL");
	is(op(SPEC_NE, v(DOUBLE), v(DOUBLE)), EVAL_TRUE, "NaN differs from itself");
	is(op(SPEC_LT, v(DOUBLE), v(DOUBLE)), EVAL_FALSE, "it is not less");
	is(op(SPEC_GE, v(DOUBLE), v(DOUBLE)), EVAL_FALSE, "nor is it not less");
	is(op(SPEC_LE, v(DOUBLE), v(DOUBLE)), EVAL_FALSE, "and is not below it");
	is(op(SPEC_GE, v(FLOAT), c(0)), EVAL_FALSE, "nor above anything");
	values[FLOAT].raw = 0x3fc00000;
	is(op(SPEC_EQ, v(FLOAT), f(1.5)), EVAL_TRUE, "a float");
	values[DOUBLE].raw = bits(-0.0);
	is(op(SPEC_EQ, v(DOUBLE), c(0)), EVAL_TRUE, "-0.0 is 0");
	is(op(SPEC_EQ, op(SPEC_TID, NULL, NULL), c(3)), EVAL_TRUE, "tid");
}

static void test_ranges(void)
{
	struct spec_expr *least = c(INT64_MIN), *most = u(UINT64_MAX);

	is(op(SPEC_GT, op(SPEC_ADD, c(INT64_MAX), c(1)), c(0)), EVAL_TRUE,
	   "what an unsigned number holds is no overflow");
	is(op(SPEC_GT, op(SPEC_ADD, most, c(1)), c(0)), EVAL_ERROR, "one more is");
	is(op(SPEC_LT, op(SPEC_SUB, least, c(1)), c(0)), EVAL_ERROR, "at the other end too");
	is(op(SPEC_GT, op(SPEC_NEG, least, NULL), c(0)), EVAL_TRUE, "the least, negated");
	is(op(SPEC_LT, op(SPEC_NEG, most, NULL), c(0)), EVAL_ERROR, "the most, negated");
	is(op(SPEC_GT, op(SPEC_MUL, most, most), c(0)), EVAL_ERROR, "the square of the most");
	is(op(SPEC_GT, op(SPEC_MUL, least, least), c(0)), EVAL_ERROR, "of the least");
	is(op(SPEC_EQ, op(SPEC_DIV, least, c(-1)), u(UINT64_C(1) << 63)), EVAL_TRUE,
	   "least / -1 does not trap");
	is(op(SPEC_EQ, op(SPEC_MOD, least, c(-1)), c(0)), EVAL_TRUE, "nor least % -1");
	is(op(SPEC_EQ, op(SPEC_DIV, c(-7), c(2)), c(-3)), EVAL_TRUE, "division truncates");
	is(op(SPEC_EQ, op(SPEC_MOD, c(-7), c(2)), c(-1)), EVAL_TRUE, "remainders go with it");
	is(op(SPEC_GT, op(SPEC_MUL, f(DBL_MAX), f(2)), f(DBL_MAX)), EVAL_TRUE,
	   "doubles go to infinity");
}

static void test_no_value(void)
{
	struct strbuf why = { 0 };
	struct spec_expr *by_zero = op(SPEC_DIV, c(1), c(0)), *e;

	by_zero->spot.line = 12;
	values[INT].known = 7;
	is(op(SPEC_EQ, by_zero, c(1)), EVAL_ERROR, "1 / 0");
	is(op(SPEC_EQ, op(SPEC_MOD, c(1), c(0)), c(1)), EVAL_ERROR, "1 % 0");
	is(op(SPEC_EQ, op(SPEC_DIV, f(1), c(0)), c(1)), EVAL_ERROR, "1.0 / 0");
	is(op(SPEC_EQ, op(SPEC_DIV, c(1), f(-0.0)), c(1)), EVAL_ERROR, "1 / -0.0");
	is(op(SPEC_EQ, op(SPEC_MOD, f(1), c(2)), c(1)), EVAL_ERROR, "1.0 % 2");
	is(op(SPEC_EQ, v(INT), c(1)), EVAL_UNKNOWN, "an int with three bytes known");
	is(op(SPEC_EQ, op(SPEC_MUL, v(INT), c(0)), c(0)), EVAL_UNKNOWN, "nothing is made of it");
	is(op(SPEC_EQ, v(INT), by_zero), EVAL_ERROR, "unknown == error is an error");
	is(op(SPEC_EQ, by_zero, v(INT)), EVAL_ERROR, "either way");
	is(op(SPEC_EQ, op(SPEC_DIV, c(1), v(INT)), c(0)), EVAL_UNKNOWN, "1 / unknown");
	e = op(SPEC_EQ, op(SPEC_ADD, v(INT), by_zero), c(1));
	eval_explain(&t.spec, e, values, 1, &why);
	TAP_STR(strbuf_str(&why), "division by zero in '1 / 0', line 12", "explained");
	strbuf_clear(&why);
	eval_explain(&t.spec, op(SPEC_EQ, v(INT), c(1)), values, 1, &why);
	TAP_STR(strbuf_str(&why), "value that is not known in 'x3', line 0", "explained");
	strbuf_release(&why);
}

static void raw_is(unsigned type, struct spec_number n, bool fits, uint64_t want, const char *name)
{
	uint64_t raw = 0;
	bool got = eval_raw(&types[type], &n, &raw);

	TAP_OK(got == fits && (!fits || raw == want), "%s", name);
}

static void test_raw(void)
{
	raw_is(UCHAR, (struct spec_number){ .i = 255 }, true, 255, "255 as unsigned char");
	raw_is(UCHAR, (struct spec_number){ .i = 256 }, false, 0, "256 does not fit");
	raw_is(UCHAR, (struct spec_number){ .i = -1 }, false, 0, "nor does -1");
	raw_is(SCHAR, (struct spec_number){ .i = -128 }, true, 0x80, "-128 as signed char");
	raw_is(SCHAR, (struct spec_number){ .i = -129 }, false, 0, "-129 does not fit");
	raw_is(LONG, (struct spec_number){ .i = INT64_MIN }, true, UINT64_C(1) << 63, "the least");
	raw_is(LONG, (struct spec_number){ .is_big = true, .i = INT64_MIN }, false, 0,
	       "2^63 is no long");
	raw_is(U64, (struct spec_number){ .is_big = true, .i = -1 }, true, UINT64_MAX,
	       "2^64 - 1 as uint64_t");
	raw_is(U64, (struct spec_number){ .i = -1 }, false, 0, "-1 is none");
	raw_is(INT, (struct spec_number){ .is_float = true, .f = 1 }, false, 0, "1.0 is no int");
	raw_is(FLOAT, (struct spec_number){ .i = 1 }, true, 0x3f800000, "1 as float");
	raw_is(DOUBLE, (struct spec_number){ .is_float = true, .f = 0.1 }, true, bits(0.1),
	       "0.1 as double");
}

static void prints(unsigned type, uint64_t raw, uint8_t known, const char *want)
{
	struct strbuf out = { 0 };

	eval_print(&types[type], &(struct monitor_value){ raw, known }, &out);
	TAP_STR(strbuf_str(&out), want, "%s printed: %s", types[type].text, want);
	strbuf_release(&out);
}

static void test_print(void)
{
	prints(INT, UINT64_MAX, 15, "-1");
	prints(INT, 5, 7, "?");
	prints(U64, UINT64_MAX, 255, "18446744073709551615");
	prints(FLOAT, 0x3dcccccd, 15, "0.1");
	prints(DOUBLE, bits(0.1), 255, "0.1");
	prints(DOUBLE, bits(1.0 / 3), 255, "0.3333333333333333");
	prints(DOUBLE, bits(3), 255, "3");
	prints(POINTER, 0, 255, "NULL");
	prints(POINTER, 0x7fff1234, 255, "0x7fff1234");
}

/* Numbers of all types there and back. */
static void test_round_trip(void)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < 100000; i++) {
		unsigned type = trees_random(&t, FLOAT);
		uint64_t mask = UINT64_MAX >> (64 - 8 * types[type].size);
		uint64_t raw =
			((uint64_t)trees_random(&t, 1u << 31) << 33 ^
			 (uint64_t)trees_random(&t, 1u << 31) << 10 ^ trees_random(&t, 2048)) &
			mask;
		struct spec_number n = eval_number(&types[type], raw);
		uint64_t back = 0;

		wrong += !eval_raw(&types[type], &n, &back) || back != raw;
	}
	TAP_EQ(wrong, 0, "a hundred thousand numbers, there and back");
}

int main(void)
{
	trees_init(&t, NTYPES, 0, 1);
	for (unsigned i = 0; i < NTYPES; i++)
		t.spec.variables[i].type = types[i];
	test_types();
	test_ranges();
	test_no_value();
	test_raw();
	test_print();
	test_round_trip();
	trees_release(&t);
	return tap_done();
}
