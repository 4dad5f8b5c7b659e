/*
 * Comparisons: a read may see another value where all that decides by it comes out the same.
 *
 *	known	the read sees bytes that recorded writes have left, none of which is tainted: those store what
 *		was logged; or initial bytes, where some read shows them
 *	test	the read is not tainted, or it is known, and cmp of what it sees is cmp of what it saw
 *
 * A tainted write may have stored anything, and so may unseen code: nothing is known then, and the order is
 * refused.  What the outcome leads to is what was recorded; other uses of the value have their own
 * rules (feeds, doc/WITNESS.md section 2).
 */
#include "witness/check_priv.h"

void check_shown_note(struct checker *c, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	struct evidence_mixed m;
	uint64_t value = 0;

	if ((it->flags & EVENT_UNKNOWN) || it->strange || it->len > 8)
		return;
	for (uint32_t i = 0; i < it->nwords; i++) {
		uint64_t word = evidence_spread(c->ev, it, i, &m);

		for (unsigned k = 0; k < 8; k++) {
			uint8_t byte;

			if (m.cell[k] == 0)
				continue;
			if (!check_byte(c, m.cell[k], word, k, &byte))
				return;
			value |= (uint64_t)byte << 8 * ((word << 3) + k - it->addr);
		}
	}
	*map_put(&c->shown, pos, NULL) = value;
}

/* What it read in the recorded run. */
static bool observed(const struct checker *c, uint32_t pos, uint64_t *out)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);

	*out = 0;
	for (uint64_t i = 0; i < it->len; i++) {
		uint8_t byte;

		if (!check_value(c->ev, pos, it->addr + i, false, &byte))
			return false;
		*out |= (uint64_t)byte << 8 * i;
	}
	return true;
}

/* The low bits as a number; with a sign, the highest of them is one. */
static __int128 number(uint64_t v, unsigned bits, bool has_sign)
{
	__int128 x = 0;

	for (unsigned i = 0; i < bits; i++)
		if (v >> i & 1)
			x += has_sign && i == bits - 1 ? -((__int128)1 << i) : (__int128)1 << i;
	return x;
}

static bool comes_out(const struct predicate *p, unsigned width, uint64_t v)
{
	unsigned bits = p->bits == 0 || p->bits > width ? width : p->bits;
	bool has_sign = p->cmp == PREDICATE_LT || p->cmp == PREDICATE_LE ||
			p->cmp == PREDICATE_GT || p->cmp == PREDICATE_GE;
	__int128 a = number(v & p->mask, bits, has_sign), b = number(p->with, bits, has_sign);

	switch (p->cmp) {
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
	default:
		return a >= b;
	}
}

static bool holds(struct checker *c, const struct evidence_test *t)
{
	unsigned width = 8 * (unsigned)evidence_item(c->ev, t->read)->len;
	const uint64_t *now = map_get(&c->shown, t->read);
	uint64_t saw;

	return now && observed(c, t->read, &saw) &&
	       comes_out(&t->is, width, *now) == comes_out(&t->is, width, saw);
}

const struct evidence_test *check_tests(struct checker *c, uint32_t pos)
{
	size_t from, to;

	for (evidence_tests_range(c->ev, pos, &from, &to); from < to; from++) {
		const struct evidence_test *t = &c->ev->tests.at[from];

		if ((c->mark[t->read] & CHECK_READ_TAINTED) && (c->claim->strict || !holds(c, t)))
			return t;
		if (c->mark[t->read] & CHECK_READ_GUESSED)
			check_guess_doubt(c, pos);
	}
	return NULL;
}
