#include "order/freed.h"

#include <assert.h>

void freed_init(struct freed *f)
{
	keyset_init(&f->lasts);
	map_init(&f->firsts);
}

void freed_release(struct freed *f)
{
	keyset_release(&f->lasts);
	map_release(&f->firsts);
}

/* The lowest range that ends at addr or later, if it begins by `last'. */
static bool find(const struct freed *f, uint64_t addr, uint64_t last, uint64_t *first,
		 uint64_t *end)
{
	if (!keyset_next(&f->lasts, addr, UINT64_MAX, end))
		return false;
	*first = *map_get(&f->firsts, *end);
	return *first <= last;
}

static void put(struct freed *f, uint64_t first, uint64_t last)
{
	assert(first <= last);
	keyset_add(&f->lasts, last);
	*map_put(&f->firsts, last, NULL) = first;
}

void freed_remove(struct freed *f, uint64_t addr, uint64_t len)
{
	uint64_t last = addr + (len - 1), first, end;

	while (len != 0 && find(f, addr, last, &first, &end)) {
		keyset_remove(&f->lasts, end);
		map_remove(&f->firsts, end);
		if (first < addr)
			put(f, first, addr - 1);
		if (end > last)
			put(f, last + 1, end);
	}
}

void freed_add(struct freed *f, uint64_t addr, uint64_t len)
{
	if (len == 0)
		return;
	freed_remove(f, addr, len);
	put(f, addr, addr + (len - 1));
}

bool freed_has(const struct freed *f, uint64_t addr, uint64_t len)
{
	uint64_t first, end;

	return len != 0 && find(f, addr, addr + (len - 1), &first, &end);
}
