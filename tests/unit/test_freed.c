/* Freed ranges against an array that says of each byte which range it is in. */
#include <stdlib.h>
#include <string.h>

#include "order/freed.h"
#include "unit/tap.h"

#define SPACE 200

/* The lowest range with a byte of [first, last], by the array; false: none. */
static bool find(const uint32_t *cell, uint64_t first, uint64_t last, struct freed_range *out)
{
	while (first <= last && cell[first] == 0)
		first++;
	if (first > last)
		return false;
	*out = (struct freed_range){ first, first, cell[first] };
	while (out->first > 0 && cell[out->first - 1] == out->cell)
		out->first--;
	while (out->last + 1 < SPACE && cell[out->last + 1] == out->cell)
		out->last++;
	return true;
}

static bool is_same(const struct freed_range *a, const struct freed_range *b)
{
	return a->first == b->first && a->last == b->last && a->cell == b->cell;
}

int main(void)
{
	struct freed_range all = { UINT64_MAX - 7, UINT64_MAX, 3 }, got = { 0 }, want = { 0 };
	uint32_t cell[SPACE] = { 0 }, cells = 0;
	bool good = true;
	struct freed f = { 0 };

	srand(5);
	for (int i = 0; i < 50000 && good; i++) {
		uint64_t first = (uint64_t)rand() % SPACE;
		uint64_t last = first + (uint64_t)rand() % (SPACE - first);
		bool found = freed_find(&f, first, last, &got);

		good = found == find(cell, first, last, &want) && (!found || is_same(&got, &want));
		if (good && found && rand() % 2) {
			freed_remove(&f, &got);
			memset(cell + got.first, 0, (got.last - got.first + 1) * sizeof(*cell));
		} else if (!found) {
			got = (struct freed_range){ first, last, ++cells };
			freed_add(&f, &got);
			for (uint64_t k = first; k <= last; k++)
				cell[k] = cells;
		}
	}
	TAP_OK(good && cells > 1000, "random ranges, %u of them", cells);
	freed_add(&f, &all);
	TAP_OK(freed_find(&f, UINT64_MAX, UINT64_MAX, &got) && is_same(&got, &all),
	       "the last byte there is");
	TAP_OK(!freed_find(&f, UINT64_MAX - 8, UINT64_MAX - 8, &got),
	       "the one before the range is not in it");
	freed_release(&f);
	return tap_done();
}
