/*
 * Which write each read saw, byte by byte.
 *
 * The model: a table from (lifetime, byte address) to the latest write; a read takes what it
 * finds, a write puts itself there, FREE writes all bytes of its block, and a new lifetime starts
 * with an empty table.
 *
 * Why it is not that simple: words are kept whole while their bytes agree, and blocks may be
 * gigabytes of which three words are ever touched.  So
 *
 *	pages	hold the cell of each word in use; 64 words each, so that a new lifetime walks
 *		pages and not words, and never more of them than exist;
 *	stamps	say for memory without a cell which ALLOC and which FREE covered it last
 *		(evidence_stamp.c).  Only the making of a cell asks them.
 *	freed	is what no ALLOC has covered since a FREE.  Who frees some of it again must find
 *		cells there, that of each byte with the first FREE as what wrote it.
 *
 * Known limit: of what two FREEs have in common with no allocation between, the words after the
 * first 2^16 count as written by the second FREE only, unless they are touched between.
 */

#include "trace/format.h"
#include "witness/evidence_priv.h"

#define PAGE_WORDS 64u
#define AGAIN_WORDS 65536u /* of memory freed twice; the rest is not looked at */

struct evidence_page {
	uint64_t number;
	uint32_t cell[PAGE_WORDS]; /* 0 none; MIXED and a index in splits */
};

/* ---- numbers by byte ---- */

void evidence_last_set(struct evidence_lasts *l, uint32_t *state, unsigned mask, uint32_t pos)
{
	struct evidence_last *b;

	if (!(*state & EVIDENCE_MIXED)) {
		uint32_t old = *state;

		if (mask == 0xff || old == pos) {
			*state = pos;
			return;
		}
		*state = (uint32_t)l->at.n | EVIDENCE_MIXED;
		b = VEC_PUSH(&l->at);
		for (unsigned k = 0; k < 8; k++)
			b->at[k] = old;
	}
	b = &l->at.at[*state & ~EVIDENCE_MIXED];
	for (unsigned k = 0; k < 8; k++)
		if (mask >> k & 1)
			b->at[k] = pos;
}

uint32_t evidence_alloc_of(struct evidence *ev, uint64_t addr)
{
	uint32_t alloc, freed;

	evidence_stamp_get(&ev->memory, addr, &alloc, &freed);
	return alloc;
}

/* ---- cells ---- */

static struct evidence_page *page_get(struct evidence_memory *m, uint64_t number)
{
	uint64_t *index;
	bool fresh;

	if (m->pages.n != 0 && m->hot == number)
		return &m->pages.at[m->hot_index];
	index = map_put(&m->at, number, &fresh);
	if (fresh) {
		*index = m->pages.n;
		*VEC_PUSH(&m->pages) = (struct evidence_page){ .number = number };
	}
	m->hot = number;
	m->hot_index = *index;
	return &m->pages.at[*index];
}

/* One more byte of a new cell that its FREE has written. */
static void trailing_add(struct evidence *ev, uint32_t cell, unsigned k, uint32_t freed)
{
	struct evidence_trailing *l = ev->trailing.n ? &ev->trailing.at[ev->trailing.n - 1] : NULL;

	evidence_last_set(&ev->memory.lasts, &ev->cells.at[cell].last, 1u << k, freed);
	if (!l || l->cell != cell || l->free != freed) {
		l = VEC_PUSH(&ev->trailing);
		*l = (struct evidence_trailing){ freed, cell, 0 };
	}
	l->mask |= 1u << k;
}

/* What lies in a new cell: freed memory has been written by its FREE. */
static void cell_fill(struct evidence *ev, uint32_t cell, unsigned mask)
{
	uint64_t first = ev->cells.at[cell].word << 3;
	uint32_t alloc = 0, freed = 0;
	bool asked = false;
	unsigned zero = 0;

	if (ev->memory.stamp_levels == 0)
		return;
	for (unsigned k = 0; k < 8; k++) {
		if (!(mask >> k & 1))
			continue;
		/* Without blocks smaller than a word all bytes have the same answer. */
		if (!asked || (ev->memory.stamp_levels & 7))
			evidence_stamp_get(&ev->memory, first + k, &alloc, &freed);
		asked = true;
		if (alloc != 0 && ev->items.at[alloc].flags & EVENT_ZEROED)
			zero |= 1u << k;
		if (freed > alloc)
			trailing_add(ev, cell, k, freed);
	}
	if (ev->values && zero != 0)
		*map_put(&ev->zeroed, cell, NULL) = zero;
}

static uint32_t cell_new(struct evidence *ev, uint64_t word, unsigned mask)
{
	uint32_t cell = (uint32_t)ev->cells.n;

	if (cell >= EVIDENCE_LIMIT) {
		ev->too_big = true;
		return 1;
	}
	*VEC_PUSH(&ev->cells) = (struct evidence_cell){ .word = word };
	cell_fill(ev, cell, mask);
	return cell;
}

/* Bytes of a split word that have no cell get a new one together. */
static void split_fill(struct evidence *ev, uint64_t word, uint32_t split, unsigned mask)
{
	unsigned empty = 0;

	for (unsigned k = 0; k < 8; k++)
		if (evidence_last(&ev->memory.splits, split, k) == 0)
			empty |= 1u << k;
	if (empty & mask)
		evidence_last_set(&ev->memory.splits, &split, empty, cell_new(ev, word, empty));
}

/* The cells that a word has in the bytes of the mask; others are 0.  True: it is one. */
static bool cells_spread(const struct evidence *ev, uint32_t state, unsigned mask, uint32_t out[8])
{
	uint32_t one = 0;
	bool same = true;

	for (unsigned k = 0; k < 8; k++) {
		out[k] = mask >> k & 1 ? evidence_last(&ev->memory.splits, state, k) : 0;
		one = one ? one : out[k];
		same &= out[k] == 0 || out[k] == one;
	}
	return same;
}

/* The same, and cells are made where there are none. */
static bool cells_get(struct evidence *ev, uint64_t word, unsigned mask, uint32_t out[8])
{
	struct evidence_page *p = page_get(&ev->memory, word / PAGE_WORDS);
	uint32_t cell = p->cell[word % PAGE_WORDS];

	if (cell == 0) {
		cell = cell_new(ev, word, 0xff);
		page_get(&ev->memory, word / PAGE_WORDS)->cell[word % PAGE_WORDS] = cell;
	}
	if (cell & EVIDENCE_MIXED)
		split_fill(ev, word, cell, mask);
	return cells_spread(ev, cell, mask, out);
}

uint32_t evidence_cell_of(struct evidence *ev, uint64_t addr)
{
	uint32_t cell[8];

	cells_get(ev, addr >> 3, 1u << (addr & 7), cell);
	return cell[addr & 7];
}

/* ---- accesses ---- */

/* Adds a word with the cells and latest writes of its bytes. */
static void word_add(struct evidence *ev, const uint32_t cell[8], unsigned mask, bool same)
{
	struct evidence_mixed mixed;
	unsigned first = (unsigned)__builtin_ctz(mask);

	for (unsigned k = 0; k < 8; k++) {
		mixed.cell[k] = cell[k];
		mixed.seen[k] =
			cell[k] ? evidence_last(&ev->memory.lasts, ev->cells.at[cell[k]].last, k)
				: 0;
		same &= cell[k] == 0 || mixed.seen[k] == mixed.seen[first];
	}
	if (same) {
		*VEC_PUSH(&ev->words) = (struct evidence_word){ cell[first], mixed.seen[first] };
		return;
	}
	*VEC_PUSH(&ev->words) =
		(struct evidence_word){ cell[first], (uint32_t)ev->mixed.n | EVIDENCE_MIXED };
	*VEC_PUSH(&ev->mixed) = mixed;
}

static void cells_write(struct evidence *ev, const uint32_t cell[8], unsigned mask, bool same,
			uint32_t pos)
{
	struct evidence_lasts *l = &ev->memory.lasts;

	if (same) {
		unsigned first = (unsigned)__builtin_ctz(mask);

		evidence_last_set(l, &ev->cells.at[cell[first]].last, mask, pos);
		return;
	}
	for (unsigned k = 0; k < 8; k++)
		if (cell[k] != 0)
			evidence_last_set(l, &ev->cells.at[cell[k]].last, 1u << k, pos);
}

/* The usual case: the word has one cell, and one write was the last to all of it. */
static bool word_is_whole(struct evidence *ev, uint64_t word, struct evidence_word *out)
{
	out->cell = page_get(&ev->memory, word / PAGE_WORDS)->cell[word % PAGE_WORDS];
	if (out->cell == 0 || (out->cell & EVIDENCE_MIXED))
		return false;
	out->seen = ev->cells.at[out->cell].last;
	return !(out->seen & EVIDENCE_MIXED);
}

static void word_access(struct evidence *ev, uint64_t word, unsigned mask, bool writes,
			uint32_t pos)
{
	struct evidence_word whole;
	uint32_t cell[8];
	bool same;

	if (word_is_whole(ev, word, &whole)) {
		*VEC_PUSH(&ev->words) = whole;
		if (writes)
			evidence_last_set(&ev->memory.lasts, &ev->cells.at[whole.cell].last, mask,
					  pos);
		return;
	}
	same = cells_get(ev, word, mask, cell);
	word_add(ev, cell, mask, same);
	if (writes)
		cells_write(ev, cell, mask, same, pos);
}

void evidence_access(struct evidence *ev, uint32_t pos)
{
	uint64_t addr = ev->items.at[pos].addr, len = ev->items.at[pos].len;
	uint64_t n = format_words(addr, len), first = addr >> 3;
	bool writes = ev->items.at[pos].op != EVENT_READ;

	ev->items.at[pos].words = (uint32_t)ev->words.n;
	if (n > EVIDENCE_LIMIT - ev->words.n) {
		ev->too_big = true;
		return;
	}
	ev->items.at[pos].nwords = (uint32_t)n;
	for (uint64_t i = 0; i < n; i++)
		word_access(ev, first + i, evidence_mask(addr, len, first + i), writes, pos);
}

/* ---- freed memory ---- */

/* The lowest range of freed memory that has a byte of [first, last]. */
static bool freed_find(const struct evidence_freed *f, uint64_t first, uint64_t last,
		       uint64_t *from, uint64_t *to)
{
	if (!keyset_next(&f->lasts, first, UINT64_MAX, to))
		return false;
	*from = *map_get(&f->firsts, *to);
	return *from <= last;
}

static void freed_put(struct evidence_freed *f, uint64_t first, uint64_t last)
{
	keyset_add(&f->lasts, last);
	*map_put(&f->firsts, last, NULL) = first;
}

static void freed_remove(struct evidence_freed *f, uint64_t first, uint64_t last)
{
	uint64_t from, to;

	while (freed_find(f, first, last, &from, &to)) {
		keyset_remove(&f->lasts, to);
		map_remove(&f->firsts, to);
		if (from < first)
			freed_put(f, from, first - 1);
		if (to > last)
			freed_put(f, last + 1, to);
	}
}

/* ---- whole blocks ---- */

typedef void (*word_fn)(struct evidence *ev, uint64_t word, unsigned mask, uint32_t *cell,
			uint32_t pos);

static void page_walk(struct evidence *ev, size_t page, uint64_t addr, uint64_t len, word_fn each,
		      uint32_t pos)
{
	uint64_t first = ev->memory.pages.at[page].number * PAGE_WORDS;
	uint64_t from = addr >> 3, to = (addr + len - 1) >> 3;

	for (unsigned i = 0; i < PAGE_WORDS; i++) {
		uint32_t *cell = &ev->memory.pages.at[page].cell[i];

		if (*cell != 0 && first + i >= from && first + i <= to)
			each(ev, first + i, evidence_mask(addr, len, first + i), cell, pos);
	}
}

/* Every word with a cell in the range, by way of whichever is less: its pages or all pages. */
static void range_walk(struct evidence *ev, uint64_t addr, uint64_t len, word_fn each, uint32_t pos)
{
	uint64_t from = (addr >> 3) / PAGE_WORDS, to = ((addr + len - 1) >> 3) / PAGE_WORDS;
	const struct evidence_memory *m = &ev->memory;

	if (to - from >= m->pages.n) {
		for (size_t i = 0; i < m->pages.n; i++)
			if (m->pages.at[i].number >= from && m->pages.at[i].number <= to)
				page_walk(ev, i, addr, len, each, pos);
		return;
	}
	for (uint64_t n = from; n <= to; n++) {
		const uint64_t *index = map_get(&m->at, n);

		if (index)
			page_walk(ev, *index, addr, len, each, pos);
	}
}

static void word_renew(struct evidence *ev, uint64_t word, unsigned mask, uint32_t *cell,
		       uint32_t pos)
{
	(void)word, (void)pos;
	if (mask == 0xff)
		*cell = 0;
	else
		evidence_last_set(&ev->memory.splits, cell, mask, 0);
}

void evidence_renew(struct evidence *ev, uint32_t pos, uint64_t addr, uint64_t len)
{
	if (len == 0)
		return;
	freed_remove(&ev->memory.freed, addr, addr + (len - 1));
	range_walk(ev, addr, len, word_renew, pos);
	evidence_stamp(&ev->memory, addr, len, pos, false);
}

static void word_free(struct evidence *ev, uint64_t word, unsigned mask, uint32_t *cells,
		      uint32_t pos)
{
	uint32_t cell[8];
	bool same = cells_spread(ev, *cells, mask, cell);
	unsigned in = 0;

	(void)word;
	for (unsigned k = 0; k < 8; k++)
		in |= (unsigned)(cell[k] != 0) << k;
	if (in == 0)
		return;
	if (ev->words.n >= EVIDENCE_LIMIT) {
		ev->too_big = true;
		return;
	}
	word_add(ev, cell, in, same && in == mask);
	cells_write(ev, cell, in, same, pos);
}

int evidence_cell_order(const void *x, const void *y, void *evidence)
{
	const struct evidence *ev = evidence;
	const uint32_t *a = x, *b = y;

	return SORT_ORDER(ev->cells.at[*a].word, ev->cells.at[*b].word);
}

static int trailing_order(const void *x, const void *y, void *evidence)
{
	const struct evidence_trailing *a = x, *b = y;

	return SORT_ORDER(a->free, b->free) ?: evidence_cell_order(&a->cell, &b->cell, evidence) ?:
	       SORT_ORDER(a->cell, b->cell);
}

/* Freed again: cells that the two have in common must exist. */
static void again_fill(struct evidence *ev, uint64_t first, uint64_t last)
{
	uint64_t from, to, words = 0;
	uint32_t cell[8];

	while (first <= last && freed_find(&ev->memory.freed, first, last, &from, &to)) {
		from = from < first ? first : from;
		to = to > last ? last : to;
		for (uint64_t w = from >> 3; w <= to >> 3 && words < AGAIN_WORDS; w++, words++)
			cells_get(ev, w, evidence_mask(from, to - from + 1, w), cell);
		if (to == last)
			return;
		first = to + 1;
	}
}

void evidence_free_event(struct evidence *ev, uint32_t pos)
{
	uint64_t addr = ev->items.at[pos].addr, len = ev->items.at[pos].len;
	size_t from = ev->words.n;

	ev->items.at[pos].words = (uint32_t)from;
	if (len == 0)
		return;
	again_fill(ev, addr, addr + (len - 1));
	freed_remove(&ev->memory.freed, addr, addr + (len - 1));
	freed_put(&ev->memory.freed, addr, addr + (len - 1));
	range_walk(ev, addr, len, word_free, pos);
	ev->items.at[pos].nwords = (uint32_t)(ev->words.n - from);
	evidence_stamp(&ev->memory, addr, len, pos, true);
	if (ev->words.n - from > 1)
		qsort_r(ev->words.at + from, ev->words.n - from, sizeof(*ev->words.at),
			evidence_cell_order, ev);
}

void evidence_memory_finish(struct evidence *ev)
{
	if (ev->trailing.n > 1)
		qsort_r(ev->trailing.at, ev->trailing.n, sizeof(*ev->trailing.at), trailing_order,
			ev);
	evidence_memory_release(&ev->memory);
}

void evidence_memory_release(struct evidence_memory *m)
{
	MAP_RELEASE_ALL(&m->at, &m->stamps, &m->freed.firsts);
	keyset_release(&m->freed.lasts);
	VEC_RELEASE_ALL(&m->pages, &m->splits.at, &m->lasts.at);
}
