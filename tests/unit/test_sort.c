/* base/sort: numbers by bytes against qsort. */
#include "base/common.h"
#include "tap.h"

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Of so many numbers, masked: few of them differ, or only in some bytes. */
static bool is_sorted(size_t n, uint64_t mask, uint64_t *state)
{
	VEC(uint64_t) is = { 0 }, want = { 0 };
	bool same;

	for (size_t i = 0; i < n; i++)
		*VEC_PUSH(&is) = random_next(state) & mask;
	VEC_APPEND(&want, is.at, is.n);
	SORT_VEC(&want, sort_order_u64);
	sort_u64(is.at, is.n);
	same = n == 0 || memcmp(is.at, want.at, n * sizeof(*is.at)) == 0;
	VEC_RELEASE_ALL(&is, &want);
	return same;
}

int main(void)
{
	static const uint64_t masks[] = { UINT64_MAX, 0,
					  255,	      0xffff,
					  0xffffff00, UINT64_C(0xff000000000000ff),
					  3,	      UINT64_MAX << 32 };
	uint64_t state = 88172645463325252u;
	size_t bad = 0;

	for (size_t n = 0; n < 400; n++)
		for (size_t m = 0; m < sizeof(masks) / sizeof(masks[0]); m++)
			bad += !is_sorted(n, masks[m], &state);
	TAP_EQ(bad, 0u, "400 lengths, few and many, with all, some and no bytes that differ");
	return tap_done();
}
