/*
 * Comparisons that stand for what a read decides (model.h, model_test).
 *
 *	v		the bytes of the read as a number, little-endian; what it saw, or would see
 *	low		v & mask, its low bits
 *	outcome		cmp(low, with), both as numbers of so many bits
 *
 * tests/unit/test_predicate.c holds this, and the checker's own, to a slow reading of the same.
 */
#include "order/model_priv.h"

static uint64_t low_bits(uint64_t v, unsigned bits)
{
	return bits >= 64 ? v : v & ((1ull << bits) - 1);
}

/* The highest bit counts as a sign: turned over, signed numbers are in the order of unsigned ones. */
static uint64_t in_order(uint64_t v, unsigned bits, bool has_sign)
{
	return has_sign ? v ^ 1ull << (bits - 1) : v;
}

static bool outcome(const struct predicate *p, unsigned width, uint64_t v)
{
	unsigned bits = p->bits != 0 && p->bits < width ? p->bits : width;
	bool has_sign = p->cmp >= PREDICATE_LT && p->cmp <= PREDICATE_GE;
	uint64_t a = in_order(low_bits(v & p->mask, bits), bits, has_sign);
	uint64_t b = in_order(low_bits(p->with, bits), bits, has_sign);

	switch ((enum predicate_cmp)p->cmp) {
	case PREDICATE_EQ:
		return a == b;
	case PREDICATE_NE:
		return a != b;
	case PREDICATE_LT:
	case PREDICATE_ULT:
		return a < b;
	case PREDICATE_LE:
	case PREDICATE_ULE:
		return a <= b;
	case PREDICATE_GT:
	case PREDICATE_UGT:
		return a > b;
	case PREDICATE_GE:
	case PREDICATE_UGE:
	case PREDICATE_NCMPS:
		break;
	}
	return a >= b;
}

/* It can be said what the read saw. */
static bool is_usable(const struct model *m, const struct model_test *t)
{
	uint64_t v;

	return model_ntouches(m, t->read) == 1 && t->is.cmp < PREDICATE_NCMPS &&
	       m->priv->values.at[t->read].len <= 8 &&
	       model_value(m, t->read, m->touches[m->event[t->read].touch].cell, &v, NULL);
}

static int compare_tests(const void *a, const void *b)
{
	const struct model_test *x = a, *y = b;

	return SORT_ORDER(x->read, y->read) ?: SORT_ORDER(x->at, y->at);
}

/* That is a matter of the read: all tests of one are usable, or none. */
static void drop_unusable(struct model *m, struct model_test *tests, uint32_t *n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < *n; i++)
		if (is_usable(m, &tests[i]))
			tests[kept++] = tests[i];
	*n = kept;
}

void model_settle_tests(struct model *m)
{
	struct model_build *b = m->priv->build;
	uint32_t n = (uint32_t)b->tests.n;

	if (n == 0)
		return;
	SORT_VEC(&b->tests, compare_tests);
	drop_unusable(m, b->tests.at, &n);
	m->tests = (struct model_tests){ b->tests.at, n };
	b->tests.at = NULL;
}

struct model_tests model_tests_of(const struct model *m, uint32_t read)
{
	const struct model_test *t = m->tests.at;
	uint32_t first = SEARCH_PAST(i, 0, m->tests.n, t[i].read < read), end = first;

	while (end < m->tests.n && t[end].read == read)
		end++;
	return (struct model_tests){ t + first, end - first };
}

bool model_is_tested(const struct model *m, uint32_t read, uint32_t at)
{
	struct model_tests t = model_tests_of(m, read);

	for (uint32_t i = 0; i < t.n; i++)
		if (t.at[i].at == at)
			return true;
	return false;
}

bool model_test_is_same(const struct model *m, const struct model_test *t, uint64_t value)
{
	unsigned width = 8 * m->priv->values.at[t->read].len;
	uint64_t saw = 0;
	bool known = model_value(m, t->read, m->touches[m->event[t->read].touch].cell, &saw, NULL);

	assert(known);
	return outcome(&t->is, width, saw) == outcome(&t->is, width, value);
}

bool model_tests_pass(const struct model *m, uint32_t read, uint32_t at, uint64_t value)
{
	struct model_tests t = model_tests_of(m, read);

	for (uint32_t i = 0; i < t.n; i++)
		if (t.at[i].at == at && !model_test_is_same(m, &t.at[i], value))
			return false;
	return true;
}
