#include "base/common.h"

int sort_order_u32(const void *a, const void *b)
{
	return SORT_ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

int sort_order_u64(const void *a, const void *b)
{
	return SORT_ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
}

static void sort_few(uint64_t *at, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t x = at[i];
		size_t to = i;

		for (; to > 0 && at[to - 1] > x; to--)
			at[to] = at[to - 1];
		at[to] = x;
	}
}

/* By one byte after the other, the lowest first; bytes in which all agree are left out. */
static void sort_many(uint64_t *at, size_t n)
{
	uint64_t *from = at, *spare = mem_alloc(n * sizeof(*spare)), *to = spare;
	size_t before[8][256] = { 0 };

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < 8; k++)
			before[k][at[i] >> 8 * k & 255]++;
	for (unsigned k = 0; k < 8; k++) {
		size_t *place = before[k], sum = 0;
		uint64_t *now = from;

		if (place[at[0] >> 8 * k & 255] == n)
			continue;
		for (unsigned v = 0; v < 256; v++) {
			size_t count = place[v];

			place[v] = sum;
			sum += count;
		}
		for (size_t i = 0; i < n; i++)
			to[place[from[i] >> 8 * k & 255]++] = from[i];
		from = to;
		to = now;
	}
	if (from != at)
		memcpy(at, from, n * sizeof(*at));
	mem_free(spare);
}

#define FEW 64u /* beyond that the tables pay */

void sort_u64(uint64_t *at, size_t n)
{
	(n <= FEW ? sort_few : sort_many)(at, n);
}

size_t sort_once(uint32_t *at, size_t n)
{
	size_t left = 0;

	if (n > 1)
		qsort(at, n, sizeof(*at), sort_order_u32);
	for (size_t i = 0; i < n; i++)
		if (left == 0 || at[left - 1] != at[i])
			at[left++] = at[i];
	return left;
}
