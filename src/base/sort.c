#include "base/common.h"

int sort_order_u32(const void *a, const void *b)
{
	return SORT_ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

int sort_order_u64(const void *a, const void *b)
{
	return SORT_ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
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
