/*
 * Comparisons with constants: what decides by a load, where nothing else of its value does.
 *
 * The model: follow the loaded value through casts and masks.  Each value on the way is the low bits of the
 * load and a mask, extended or not; one that is compared with a constant gives a test, and whatever is done
 * with the outcome of the comparison depends on the load by that outcome alone.  So the flow (facts.c)
 * does not go on behind it.
 *
 *	load i8 -> zext i32 -> icmp slt 30		ult:30/8	the value is 0 .. 255
 *	load i32 -> and 4 -> icmp eq 0			eq:0/32&4
 *	load i8 -> trunc i1 -> br			ne:0/1
 *
 * Where a constant cannot be met by what is compared the outcome is always the same: there is nothing to
 * test, and the flow ends there too.
 */
#include "instrument/unit_priv.h"

static uint64_t low_bits(uint64_t v, unsigned bits)
{
	return bits >= 64 ? v : v & ((1ull << bits) - 1);
}

/* Width of an integer, 64 of a pointer; 0: neither, or wider. */
static unsigned width_of(LLVMTypeRef type)
{
	unsigned bits;

	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return LLVMGetPointerAddressSpace(type) == 0 ? 64 : 0;
	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
		return 0;
	bits = LLVMGetIntTypeWidth(type);
	return bits <= 64 ? bits : 0;
}

bool tests_begin(const struct unit *u, LLVMValueRef load, struct tests_form *out)
{
	unsigned bits = width_of(plan_type(load));

	*out = (struct tests_form){ .bits = bits, .width = bits, .mask = UINT64_MAX };
	return bits >= 8 && bits == 8 * plan_scalar_size(u, plan_type(load));
}

/* The value of a constant as a number of so many bits.  False: it is none. */
static bool constant(LLVMValueRef v, uint64_t *out)
{
	*out = 0;
	if (LLVMIsAConstantPointerNull(v))
		return true;
	if (!LLVMIsAConstantInt(v) || width_of(LLVMTypeOf(v)) == 0)
		return false;
	*out = LLVMConstIntGetZExtValue(v);
	return true;
}

/* Bits that a cast leaves out are out for good; those that it adds depend on the others. */
static bool cast(LLVMValueRef user, const struct tests_form *v, struct tests_form *out)
{
	unsigned width = width_of(LLVMTypeOf(user));

	*out = *v;
	out->width = width;
	if (width == 0)
		return false;
	switch (LLVMGetInstructionOpcode(user)) {
	case LLVMTrunc:
		if (width <= v->bits) {
			out->bits = width;
			out->is_signed = false;
		}
		return true;
	case LLVMZExt:
		/* Of one that was extended with its sign, the upper bits are no copies any more. */
		return !v->is_signed;
	case LLVMSExt:
		if (v->width == v->bits)
			out->is_signed = true;
		/* Behind a zext the highest bit is 0: the same as a zext. */
		return true;
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMBitCast:
		return width == v->width;
	default:
		return false;
	}
}

static bool masked(LLVMValueRef user, LLVMValueRef value, const struct tests_form *v,
		   struct tests_form *out)
{
	LLVMValueRef other = LLVMGetOperand(user, LLVMGetOperand(user, 0) == value);
	uint64_t mask;

	*out = *v;
	if (other == value || !LLVMIsAConstantInt(other) || !constant(other, &mask))
		return false;
	/* With copies of the sign in it, it is no part of the load. */
	if (v->is_signed && v->width != v->bits && mask != low_bits(mask, v->bits))
		return false;
	out->is_signed = false;
	out->mask &= mask;
	return true;
}

bool tests_derive(LLVMValueRef user, LLVMValueRef value, const struct tests_form *v,
		  struct tests_form *out)
{
	switch (LLVMGetInstructionOpcode(user)) {
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMBitCast:
		return cast(user, v, out);
	case LLVMAnd:
		return masked(user, value, v, out);
	case LLVMFreeze:
		*out = *v;
		return true;
	default:
		return false;
	}
}

/* ---- comparisons ---- */

/* cmp as it is said of unsigned numbers: eq and ne, or with a u. */
static const char *word(LLVMIntPredicate p, bool is_signed)
{
	switch (p) {
	case LLVMIntEQ:
		return "eq";
	case LLVMIntNE:
		return "ne";
	case LLVMIntSLT:
	case LLVMIntULT:
		return is_signed ? "lt" : "ult";
	case LLVMIntSLE:
	case LLVMIntULE:
		return is_signed ? "le" : "ule";
	case LLVMIntSGT:
	case LLVMIntUGT:
		return is_signed ? "gt" : "ugt";
	case LLVMIntSGE:
	case LLVMIntUGE:
		return is_signed ? "ge" : "uge";
	}
	return NULL;
}

static LLVMIntPredicate swapped(LLVMIntPredicate p)
{
	switch (p) {
	case LLVMIntSLT:
		return LLVMIntSGT;
	case LLVMIntSLE:
		return LLVMIntSGE;
	case LLVMIntSGT:
		return LLVMIntSLT;
	case LLVMIntSGE:
		return LLVMIntSLE;
	case LLVMIntULT:
		return LLVMIntUGT;
	case LLVMIntULE:
		return LLVMIntUGE;
	case LLVMIntUGT:
		return LLVMIntULT;
	case LLVMIntUGE:
		return LLVMIntULE;
	default:
		return p;
	}
}

/* Whether the low bits alone are some number is the same with and without a mask for them. */
static unsigned fewer_bits(const char *cmp, uint64_t with, unsigned bits, uint64_t mask)
{
	uint64_t low = low_bits(mask, bits);
	bool is_equality = !strcmp(cmp, "eq") || !strcmp(cmp, "ne");

	if (is_equality && low != 0 && (low & (low + 1)) == 0 && low_bits(with, bits) <= low)
		return (unsigned)__builtin_popcountll(low);
	return bits;
}

static bool test_add(struct tests *t, const char *cmp, uint64_t with, unsigned width, uint64_t mask)
{
	unsigned bits = fewer_bits(cmp, with, width, mask);
	struct tests_one one = { cmp, low_bits(with, bits), low_bits(mask, bits), bits };

	for (unsigned i = 0; i < t->n; i++)
		if (!strcmp(t->at[i].cmp, cmp) && t->at[i].with == one.with &&
		    t->at[i].mask == one.mask && t->at[i].bits == bits)
			return true;
	if (t->n == TESTS_MOST)
		return false;
	t->at[t->n++] = one;
	return true;
}

static int64_t as_signed(uint64_t v, unsigned bits)
{
	return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

/* A comparison of v with the number c of its width. */
static bool compare(const struct tests_form *v, LLVMIntPredicate p, uint64_t c, struct tests *t)
{
	bool order = p != LLVMIntEQ && p != LLVMIntNE;
	bool by_sign = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntSGT || p == LLVMIntSGE;

	if (v->width == v->bits)
		return test_add(t, word(p, by_sign), c, v->bits, v->mask);
	if (v->is_signed) {
		if (as_signed(c, v->width) != as_signed(c, v->bits))
			return !order || by_sign; /* no such number: always the same */
		return (!order || by_sign) && test_add(t, word(p, true), c, v->bits, v->mask);
	}
	/* It was extended by zeros: what is compared is 0 .. 2^bits - 1, with or without sign. */
	if (low_bits(c, v->bits) != low_bits(c, v->width))
		return true;
	return test_add(t, word(p, false), c, v->bits, v->mask);
}

static bool compare_inst(LLVMValueRef user, LLVMValueRef value, const struct tests_form *v,
			 struct tests *t)
{
	bool second = LLVMGetOperand(user, 0) != value;
	LLVMValueRef other = LLVMGetOperand(user, !second);
	LLVMIntPredicate p = LLVMGetICmpPredicate(user);
	uint64_t c;

	if (other == value || !constant(other, &c))
		return false;
	return compare(v, second ? swapped(p) : p, c, t);
}

/* Each of its cases is a comparison. */
static bool compare_switch(LLVMValueRef user, LLVMValueRef value, const struct tests_form *v,
			   struct tests *t)
{
	unsigned n = (unsigned)LLVMGetNumOperands(user);
	uint64_t c;

	if (LLVMGetOperand(user, 0) != value)
		return false;
	for (unsigned i = 2; i < n; i += 2)
		if (!constant(LLVMGetOperand(user, i), &c) || !compare(v, LLVMIntEQ, c, t))
			return false;
	return true;
}

bool tests_compare(LLVMValueRef user, LLVMValueRef value, const struct tests_form *v,
		   struct tests *t)
{
	switch (LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : (LLVMOpcode)0) {
	case LLVMICmp:
		return compare_inst(user, value, v, t);
	case LLVMSwitch:
		return compare_switch(user, value, v, t);
	case LLVMTrunc: /* a truth value */
		return LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMIntegerTypeKind &&
		       LLVMGetIntTypeWidth(LLVMTypeOf(user)) == 1 &&
		       test_add(t, "ne", 0, 1, v->mask);
	default:
		return false;
	}
}

uint32_t tests_string(struct unit *u, const struct tests *t)
{
	struct strbuf b = { 0 };

	for (unsigned i = 0; i < t->n; i++) {
		const struct tests_one *x = &t->at[i];
		bool is_signed = x->cmp[0] == 'l' || x->cmp[0] == 'g';

		strbuf_addf(&b, "%s%s:", i ? " " : "", x->cmp);
		if (is_signed)
			strbuf_addf(&b, "%" PRId64, as_signed(x->with, x->bits));
		else
			strbuf_addf(&b, "%" PRIu64, x->with);
		strbuf_addf(&b, "/%u", x->bits);
		if (x->mask != low_bits(UINT64_MAX, x->bits))
			strbuf_addf(&b, "&%" PRIu64, x->mask);
	}
	return unit_text(u, &b);
}
