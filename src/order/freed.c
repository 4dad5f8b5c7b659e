#include "order/freed.h"

void freed_release(struct freed *f)
{
	keyset_release(&f->lasts);
	MAP_RELEASE_ALL(&f->firsts, &f->cells);
}

bool freed_find(const struct freed *f, uint64_t first, uint64_t last, struct freed_range *out)
{
	if (f->n == 0 || !keyset_next(&f->lasts, first, UINT64_MAX, &out->last))
		return false;
	out->first = *map_get(&f->firsts, out->last);
	out->cell = (uint32_t)*map_get(&f->cells, out->last);
	return out->first <= last;
}

void freed_add(struct freed *f, const struct freed_range *r)
{
	struct freed_range old;

	assert(r->first <= r->last && !freed_find(f, r->first, r->last, &old));
	f->n++;
	keyset_add(&f->lasts, r->last);
	*map_put(&f->firsts, r->last, NULL) = r->first;
	*map_put(&f->cells, r->last, NULL) = r->cell;
}

void freed_remove(struct freed *f, const struct freed_range *r)
{
	assert(map_get(&f->firsts, r->last));
	f->n--;
	keyset_remove(&f->lasts, r->last);
	map_remove(&f->firsts, r->last);
	map_remove(&f->cells, r->last);
}
