/*
 * The reference model is an array from bytes to ids; tests/unit/test_step.c holds this file to it.
 *
 *	page    16 words, found by hash, with a small direct-mapped cache before it
 *	entry   one word: no cell; one cell and the mask of its bytes; or an index in `words'
 *	word    an id for every byte, and where runs of equal ids begin
 *
 * Nearly every touch is of a word with one cell of just those bytes, or of a run in `words':
 * one comparison finds out.  Pages are small because the names of a #fmt 1 text lie far apart.
 */
#include "order/cells.h"

#define PAGE_SHIFT 4
#define PAGE_WORDS (1u << PAGE_SHIFT)
#define BLOCK_PAGES 256
#define NO_CELL UINT32_MAX
#define MANY 0x100u	       /* entry.shape: `at' is an index in words */
#define REAP_BYTES (64u << 10) /* a drop of this many gives empty pages back */

struct entry {
	uint32_t at;
	uint16_t shape; /* mask of the bytes with a cell; MANY alone */
};

struct cells_page {
	uint64_t number;
	struct cells_page *next; /* while unused */
	struct entry entry[PAGE_WORDS];
};

struct cells_word {
	uint32_t cell[8]; /* NO_CELL: never touched */
	/* Bit i: byte i and the one before belong to different cells; bits 0 and 8 are set. */
	uint16_t edges;
};

void cells_release(struct cells *c)
{
	for (size_t i = 0; i < c->blocks.n; i++)
		mem_free(c->blocks.at[i]);
	VEC_RELEASE(&c->blocks);
	map_release(&c->index);
	keyset_release(&c->pages);
	VEC_RELEASE_ALL(&c->words, &c->unused_words, &c->again, &c->ids, &c->splits, &c->fresh,
			&c->dropped);
}

/* ---- ids ---- */

uint32_t cells_id_new(struct cells *c)
{
	if (c->again.n != 0)
		return c->again.at[--c->again.n];
	assert(c->count < NO_CELL);
	return c->count++;
}

/* A cell for bytes [from, to) of the word, which have none. */
static uint32_t cell_make(struct cells *c, uint64_t word, unsigned from, unsigned to)
{
	uint32_t id = cells_id_new(c);

	*VEC_PUSH(&c->fresh) = (struct cells_fresh){ id, (word << 3) + from, to - from };
	return id;
}

void cells_recycle(struct cells *c, uint32_t id)
{
	*VEC_PUSH(&c->again) = id;
}

/* ---- pages ---- */

static struct cells_page *page_new(struct cells *c)
{
	struct cells_page *p = c->unused;

	if (!p) {
		struct cells_page *block = mem_zalloc(BLOCK_PAGES * sizeof(*block));

		*VEC_PUSH(&c->blocks) = block;
		for (unsigned i = 0; i < BLOCK_PAGES; i++) {
			block[i].next = p;
			p = &block[i];
		}
	}
	c->unused = p->next;
	return p;
}

/* NULL: it does not exist and is not to be made. */
static struct cells_page *page_find(struct cells *c, uint64_t number, bool make)
{
	unsigned line = number & (CELLS_CACHE - 1);
	struct cells_page *p = c->cache[line].page;
	uint64_t *at;

	if (p && c->cache[line].number == number)
		return p;
	at = map_get(&c->index, number);
	if (at) {
		p = (struct cells_page *)(uintptr_t)*at;
	} else if (make) {
		p = page_new(c);
		p->number = number;
		*map_put(&c->index, number, NULL) = (uintptr_t)p;
		keyset_add(&c->pages, number);
	} else {
		return NULL;
	}
	c->cache[line].number = number;
	c->cache[line].page = p;
	return p;
}

static bool page_is_empty(const struct cells_page *p)
{
	for (unsigned i = 0; i < PAGE_WORDS; i++)
		if (p->entry[i].shape != 0)
			return false;
	return true;
}

/* Precondition: its entries are empty. */
static void page_remove(struct cells *c, struct cells_page *p)
{
	unsigned line = p->number & (CELLS_CACHE - 1);

	assert(page_is_empty(p));
	if (c->cache[line].page == p)
		c->cache[line].page = NULL;
	map_remove(&c->index, p->number);
	keyset_remove(&c->pages, p->number);
	p->next = c->unused;
	c->unused = p;
}

/* ---- words ---- */

static unsigned mask_of(unsigned from, unsigned to)
{
	return (1u << to) - (1u << from);
}

static struct cells_word *word_of(struct cells *c, const struct entry *e)
{
	assert(e->shape == MANY);
	return &c->words.at[e->at];
}

static void word_edges(struct cells_word *w)
{
	unsigned edges = 1u | 1u << 8;

	for (unsigned i = 1; i < 8; i++)
		edges |= (unsigned)(w->cell[i] != w->cell[i - 1]) << i;
	w->edges = (uint16_t)edges;
}

/* The entry as an index in words. */
static struct cells_word *word_open(struct cells *c, struct entry *e)
{
	struct cells_word *w;
	uint32_t index;

	if (e->shape == MANY)
		return word_of(c, e);
	index = (uint32_t)VEC_TAKE(&c->words, &c->unused_words);
	w = &c->words.at[index];
	for (unsigned i = 0; i < 8; i++)
		w->cell[i] = e->shape >> i & 1 ? e->at : NO_CELL;
	word_edges(w);
	*e = (struct entry){ .at = index, .shape = MANY };
	return w;
}

/* Makes byte `at' of the word the first of its cell. */
static void word_cut(struct cells *c, struct entry *e, uint64_t word, unsigned at)
{
	struct cells_word *w;
	struct cells_split *s;
	uint32_t old, id;
	unsigned end;

	if (at == 0 || at == 8)
		return;
	if (e->shape != MANY && (e->shape >> (at - 1) & 3) != 3)
		return;
	w = word_open(c, e);
	old = w->cell[at];
	if ((w->edges >> at & 1) || old == NO_CELL)
		return;
	id = cells_id_new(c);
	for (end = at; end < 8 && w->cell[end] == old; end++)
		w->cell[end] = id;
	w->edges |= (uint16_t)(1u << at);
	s = VEC_PUSH(&c->splits);
	*s = (struct cells_split){ old, id, (word << 3) + at, end - at };
}

/* Cells for bytes that have none, one for each run of such bytes. */
static void word_fill(struct cells *c, struct entry *e, uint64_t word, unsigned from, unsigned to)
{
	struct cells_word *w = word_open(c, e);
	unsigned end;

	for (unsigned i = from; i < to; i = end) {
		uint32_t id;

		for (end = i + 1; end < to && !(w->edges >> end & 1); end++)
			;
		if (w->cell[i] != NO_CELL)
			continue;
		id = cell_make(c, word, i, end);
		for (unsigned k = i; k < end; k++)
			w->cell[k] = id;
	}
	word_edges(w);
}

/* No cell has both the byte and the one before. */
static bool is_apart(const struct cells_word *w, unsigned byte)
{
	return (w->edges >> byte & 1) || w->cell[byte] == NO_CELL;
}

/* Precondition: no cell reaches across `from' or `to'. */
static void word_list(struct cells *c, struct entry *e, unsigned from, unsigned to)
{
	const struct cells_word *w;

	if (e->shape != MANY) {
		if (e->shape & mask_of(from, to))
			*VEC_PUSH(&c->ids) = e->at;
		return;
	}
	w = word_of(c, e);
	assert(is_apart(w, from) && is_apart(w, to));
	for (unsigned i = from; i < to; i++)
		if (w->cell[i] != NO_CELL && (w->edges >> i & 1))
			*VEC_PUSH(&c->ids) = w->cell[i];
}

/* Precondition: as word_list. */
static void word_clear(struct cells *c, struct entry *e, unsigned from, unsigned to)
{
	struct cells_word *w;
	bool empty = true;

	if (e->shape != MANY) {
		if (e->shape & mask_of(from, to)) {
			*VEC_PUSH(&c->dropped) = e->at;
			e->shape = 0;
		}
		return;
	}
	w = word_of(c, e);
	assert(is_apart(w, from) && is_apart(w, to));
	for (unsigned i = from; i < to; i++)
		if (w->cell[i] != NO_CELL && (w->edges >> i & 1))
			*VEC_PUSH(&c->dropped) = w->cell[i];
	for (unsigned i = 0; i < 8; i++) {
		if (i >= from && i < to)
			w->cell[i] = NO_CELL;
		empty = empty && w->cell[i] == NO_CELL;
	}
	word_edges(w);
	if (empty) {
		*VEC_PUSH(&c->unused_words) = e->at;
		e->shape = 0;
	}
}

/* ---- touches ---- */

/* The cell of bytes [from, to) when that is all there is to it, else NO_CELL. */
static inline uint32_t word_touch_one(struct cells *c, struct entry *e, uint64_t word,
				      unsigned from, unsigned to)
{
	unsigned mask = mask_of(from, to);
	const struct cells_word *w;

	if (e->shape == mask)
		return e->at;
	if (e->shape == 0) {
		*e = (struct entry){ cell_make(c, word, from, to), (uint16_t)mask };
		return e->at;
	}
	if (e->shape != MANY)
		return NO_CELL;
	w = word_of(c, e);
	if ((w->edges & (mask | mask << 1)) == (1u << from | 1u << to))
		return w->cell[from];
	return NO_CELL;
}

static void word_touch(struct cells *c, struct entry *e, uint64_t word, unsigned from, unsigned to)
{
	uint32_t id = word_touch_one(c, e, word, from, to);

	if (id != NO_CELL) {
		*VEC_PUSH(&c->ids) = id;
		return;
	}
	word_cut(c, e, word, from);
	word_cut(c, e, word, to);
	word_fill(c, e, word, from, to);
	word_list(c, e, from, to);
}

/* Bytes of a word that lie in [addr, last]. */
static inline unsigned first_byte(uint64_t word, uint64_t addr)
{
	return word == addr >> 3 ? addr & 7 : 0;
}

static inline unsigned end_byte(uint64_t word, uint64_t last)
{
	return word == last >> 3 ? (last & 7) + 1 : 8;
}

/* A list of one becomes *one. */
static uint32_t ids_since(struct cells *c, size_t start, uint32_t *one)
{
	size_t n = c->ids.n - start;

	assert(n <= UINT32_MAX);
	if (n == 1) {
		*one = c->ids.at[start];
		c->ids.n = start;
	}
	return (uint32_t)n;
}

uint32_t cells_touch(struct cells *c, uint64_t addr, uint64_t len, uint32_t *one)
{
	uint64_t last = addr + len - 1;
	size_t start = c->ids.n;

	assert(len != 0 && last >= addr);
	if (addr >> 3 == last >> 3) {
		struct cells_page *p = page_find(c, addr >> (3 + PAGE_SHIFT), true);
		struct entry *e = &p->entry[addr >> 3 & (PAGE_WORDS - 1)];
		uint32_t id = word_touch_one(c, e, addr >> 3, addr & 7, (last & 7) + 1);

		if (id != NO_CELL) {
			*one = id;
			return 1;
		}
	}
	for (uint64_t word = addr >> 3; word <= last >> 3; word++) {
		struct cells_page *p = page_find(c, word >> PAGE_SHIFT, true);

		word_touch(c, &p->entry[word & (PAGE_WORDS - 1)], word, first_byte(word, addr),
			   end_byte(word, last));
	}
	return ids_since(c, start, one);
}

/* ---- ranges ---- */

/* Calls visit for each word of [addr, last] that has a cell, cut at the ends of the range. */
static void range_walk(struct cells *c, uint64_t addr, uint64_t last, bool reap,
		       void (*visit)(struct cells *c, struct entry *e, unsigned from, unsigned to))
{
	const uint64_t first = addr >> 3, end = last >> 3;
	uint64_t number = first >> PAGE_SHIFT;

	while (keyset_next(&c->pages, number, end >> PAGE_SHIFT, &number)) {
		struct cells_page *p = page_find(c, number, false);
		uint64_t word = number << PAGE_SHIFT;

		assert(p);
		for (unsigned i = 0; i < PAGE_WORDS; i++, word++) {
			struct entry *e = &p->entry[i];

			if (e->shape == 0 || word < first || word > end)
				continue;
			word_cut(c, e, word, first_byte(word, addr));
			word_cut(c, e, word, end_byte(word, last));
			visit(c, e, first_byte(word, addr), end_byte(word, last));
		}
		if (reap && page_is_empty(p))
			page_remove(c, p);
		number++;
	}
}

uint32_t cells_find(struct cells *c, uint64_t addr, uint64_t len, uint32_t *one)
{
	size_t start = c->ids.n;

	if (len != 0)
		range_walk(c, addr, cells_last(addr, len), false, word_list);
	return ids_since(c, start, one);
}

void cells_drop(struct cells *c, uint64_t addr, uint64_t len)
{
	if (len != 0)
		range_walk(c, addr, cells_last(addr, len), len >= REAP_BYTES, word_clear);
}

/* ---- for tests ---- */

static void id_check(const struct cells *c, uint32_t id, bool *used)
{
	assert(id < c->count && !used[id]);
	used[id] = true;
}

/* A cell is one run of bytes of one word. */
static void entry_check(const struct cells *c, const struct entry *e, bool *used)
{
	struct cells_word w;
	bool empty = true;

	if (e->shape != MANY) {
		assert(e->shape < MANY);
		if (e->shape != 0)
			id_check(c, e->at, used);
		return;
	}
	assert(e->at < c->words.n);
	w = c->words.at[e->at];
	for (unsigned i = 0; i < 8; i++) {
		empty &= w.cell[i] == NO_CELL;
		if (w.cell[i] != NO_CELL && (w.edges >> i & 1))
			id_check(c, w.cell[i], used);
	}
	word_edges(&w);
	assert(!empty && w.edges == c->words.at[e->at].edges);
}

void cells_check(const struct cells *c)
{
	bool *used = mem_zalloc(c->count + 1);
	struct map_item item;

	for (size_t i = 0; map_next(&c->index, &i, &item);) {
		const struct cells_page *p = (const struct cells_page *)(uintptr_t)item.value;
		uint64_t number;

		assert(p->number == item.key);
		assert(keyset_next(&c->pages, p->number, p->number, &number));
		for (unsigned k = 0; k < PAGE_WORDS; k++)
			entry_check(c, &p->entry[k], used);
	}
	for (size_t i = 0; i < c->again.n; i++)
		id_check(c, c->again.at[i], used);
	mem_free(used);
}
