/*
 * Memory that ends and begins anew.
 *
 * The model: FREE writes every byte of its block; whoever touches one of them before the memory is
 * given out again touches what FREE has written.  A block has few cells and many bytes without, so
 * one cell stands for all of those (order/freed.h).  Ranges are whole words: the first and
 * last word of a block that does not begin or end with a word get cells of their own.  So a fresh
 * cell, which lies in one word, lies in one range or in none.  The lives of objects lie in the upper
 * half of the addresses, each at that of its object, and fare as the memory does.
 */

#include "order/step_priv.h"

static uint32_t stand_in_new(struct steps *s)
{
	uint32_t count = s->cells.count, id = cells_id_new(&s->cells);

	s->nhidden += s->cells.count - count;
	return id;
}

static void split_note(struct steps *s, uint32_t from, uint32_t to, uint64_t addr, uint64_t len)
{
	struct step *st = step_note(s, STEP_SPLIT, from);

	st->other = to;
	st->addr = addr;
	st->len = len < UINT32_MAX ? (uint32_t)len : UINT32_MAX;
}

void step_splits_add(struct steps *s)
{
	struct freed_range r;

	for (size_t i = 0; i < s->cells.splits.n; i++) {
		const struct cells_split *sp = &s->cells.splits.at[i];

		split_note(s, sp->from, sp->to, sp->addr, sp->len);
	}
	VEC_CLEAR(&s->cells.splits);
	for (size_t i = 0; i < s->cells.fresh.n; i++) {
		const struct cells_fresh *c = &s->cells.fresh.at[i];

		if (freed_find(&s->freed, c->addr & ~STEP_LIVES, c->addr & ~STEP_LIVES, &r))
			split_note(s, r.cell, c->id, c->addr, c->len);
	}
	VEC_CLEAR(&s->cells.fresh);
}

/* Cells for bytes [first, last] of one word. */
static void bytes_touch(struct steps *s, uint64_t first, uint64_t last)
{
	size_t ids = s->cells.ids.n;
	uint32_t one;

	assert(first >> 3 == last >> 3);
	cells_touch(&s->cells, first, last - first + 1, &one);
	s->cells.ids.n = ids;
	step_splits_add(s);
}

/* Cells for the words of [first, last] that are not all of it.  False: there is no whole word;
 * else those are [*first, *last]. */
static bool ends_touch(struct steps *s, uint64_t *first, uint64_t *last)
{
	if (*first >> 3 == *last >> 3 && ((*first & 7) != 0 || (*last & 7) != 7)) {
		bytes_touch(s, *first, *last);
		return false;
	}
	if ((*first & 7) != 0) {
		bytes_touch(s, *first, *first | 7);
		*first = (*first | 7) + 1;
	}
	if ((*last & 7) != 7) {
		bytes_touch(s, *last & ~(uint64_t)7, *last);
		*last = (*last & ~(uint64_t)7) - 1;
	}
	return *first < *last;
}

/* What is left of a range outside of [first, last], whole words; the bytes of a word that is cut
 * have their cells already.  What is inside is the caller's. */
static void range_cut(struct steps *s, struct freed_range *r, uint64_t first, uint64_t last)
{
	freed_remove(&s->freed, r);
	if (r->first < first) {
		struct freed_range left = { r->first, first - 1, stand_in_new(s) };

		split_note(s, r->cell, left.cell, left.first, left.last - left.first + 1);
		freed_add(&s->freed, &left);
		r->first = first;
	}
	if (r->last > last) {
		struct freed_range right = { last + 1, r->last, stand_in_new(s) };

		split_note(s, r->cell, right.cell, right.first, right.last - right.first + 1);
		freed_add(&s->freed, &right);
		r->last = last;
	}
}

/* [first, last] is freed, and its bytes without cells may be freed already.  The cells that stand for
 * them go to ids.  Precondition: whole words. */
static void range_free(struct steps *s, uint64_t first, uint64_t last)
{
	struct freed_range r;

	assert(first % 8 == 0 && last % 8 == 7);
	do {
		if (!freed_find(&s->freed, first, last, &r))
			r = (struct freed_range){ first, last, stand_in_new(s) };
		else if (first < r.first)
			r = (struct freed_range){ first, r.first - 1, stand_in_new(s) };
		else
			range_cut(s, &r, first, last);
		freed_add(&s->freed, &r);
		*VEC_PUSH(&s->cells.ids) = r.cell;
		first = r.last + 1;
	} while (r.last != last);
}

/* Steps cannot say more than 2^32 bytes; the cells are right all the same. */
void step_free_event(struct steps *s, const struct event *e)
{
	size_t start = s->cells.ids.n;
	uint64_t first = e->addr, last = cells_last(e->addr, e->len);
	uint32_t one = 0;
	struct step *st;
	bool whole;

	if (e->len == 0) {
		step_add(s, STEP_NONE, 0);
		return;
	}
	whole = ends_touch(s, &first, &last);
	if (cells_find(&s->cells, e->addr, e->len, &one) == 1)
		*VEC_PUSH(&s->cells.ids) = one;
	if (cells_find(&s->cells, e->addr | STEP_LIVES, e->len, &one) == 1)
		*VEC_PUSH(&s->cells.ids) = one;
	if (whole)
		range_free(s, first, last);
	step_splits_add(s);
	assert(s->cells.ids.n > start);
	st = step_add(s, STEP_FREE, 0);
	st->addr = e->addr;
	st->len = e->len < UINT32_MAX ? (uint32_t)e->len : UINT32_MAX;
	st->obj = s->cells.ids.at[start];
	st->ncells = (uint32_t)(s->cells.ids.n - start);
	st->cells = (uint32_t)start;
	step_objects_end(s, e->addr, e->len);
}

void step_fresh_event(struct steps *s, const struct event *e)
{
	uint64_t first = e->addr, last = cells_last(e->addr, e->len);
	struct freed_range r;

	while (e->len != 0 && freed_find(&s->freed, first, last, &r)) {
		if (r.first < first && (first & 7) != 0)
			bytes_touch(s, first & ~(uint64_t)7, first - 1);
		if (r.last > last && (last & 7) != 7)
			bytes_touch(s, last + 1, last | 7);
		range_cut(s, &r, first & ~(uint64_t)7, last | 7);
		*VEC_PUSH(&s->cells.dropped) = r.cell;
	}
	cells_drop(&s->cells, e->addr, e->len);
	cells_drop(&s->cells, e->addr | STEP_LIVES, e->len);
	step_splits_add(s);
	step_add(s, STEP_NONE, 0);
	step_objects_end(s, e->addr, e->len);
}
