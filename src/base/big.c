/*
 * Natural numbers as limbs of 64 bits, least first, without a zero at the top.
 *
 * Only what counting needs: sums, and decimal digits, 19 at a time.
 */
#include "base/big.h"

#define TEN19 UINT64_C(10000000000000000000)

void big_release(struct big *b)
{
	VEC_RELEASE(&b->limb);
}

static void trim(struct big *b)
{
	while (b->limb.n && b->limb.at[b->limb.n - 1] == 0)
		b->limb.n--;
}

void big_set_limbs(struct big *b, const uint64_t *limbs, uint32_t n)
{
	VEC_CLEAR(&b->limb);
	for (uint32_t i = 0; i < n; i++)
		*VEC_PUSH(&b->limb) = limbs[i];
	trim(b);
}

void big_copy(struct big *into, const struct big *from)
{
	if (into != from)
		big_set_limbs(into, from->limb.at, (uint32_t)from->limb.n);
}

void big_add(struct big *into, const struct big *from)
{
	size_t n = from->limb.n; /* into may be from */
	unsigned carry = 0;

	if (n)
		VEC_REACH(&into->limb, n - 1);
	for (size_t i = 0; i < n || carry; i++) {
		uint64_t v = i < n ? from->limb.at[i] : 0, sum;

		VEC_REACH(&into->limb, i);
		sum = into->limb.at[i] + v;
		into->limb.at[i] = sum + carry;
		carry = (unsigned)(sum < v) | (unsigned)(into->limb.at[i] < carry);
	}
}

bool big_fits(const struct big *b, uint64_t *out)
{
	*out = b->limb.n ? b->limb.at[0] : 0;
	return b->limb.n <= 1;
}

/* b := b / 10^19, and the rest. */
static uint64_t shift_out(struct big *b)
{
	unsigned __int128 rest = 0;

	for (size_t i = b->limb.n; i-- > 0;) {
		rest = rest << 64 | b->limb.at[i];
		b->limb.at[i] = (uint64_t)(rest / TEN19);
		rest %= TEN19;
	}
	trim(b);
	return (uint64_t)rest;
}

void big_print(const struct big *b, struct strbuf *out)
{
	struct big left = { 0 };
	VEC(uint64_t) groups = { 0 };

	big_copy(&left, b);
	do
		*VEC_PUSH(&groups) = shift_out(&left);
	while (left.limb.n);
	strbuf_addf(out, "%" PRIu64, groups.at[groups.n - 1]);
	for (size_t i = groups.n - 1; i-- > 0;)
		strbuf_addf(out, "%019" PRIu64, groups.at[i]);
	VEC_RELEASE(&groups);
	big_release(&left);
}
