/*
 * Bytes of memory as cells: small ids for runs of bytes that are always touched together.
 *
 * A cell lies within one aligned 8-byte word.  A touch of part of a cell splits it; the lower part
 * keeps the id.  Ids are 0 .. count - 1.
 *
 * What a call has to say besides its answer is appended to four lists that the caller empties:
 * ids (cells of one touch, in the order of their bytes), splits (in the order they were made; they
 * come before the touch), fresh (cells that a touch has made) and dropped (cells that are gone).
 *
 * Ownership: the caller owns the struct; zeroed it has no cells.
 */
#ifndef ORDER_CELLS_H
#define ORDER_CELLS_H

#include "base/common.h"
#include "base/keyset.h"

struct cells_page;
struct cells_word;

/* The last byte of a range, or of all there are. */
static inline uint64_t cells_last(uint64_t addr, uint64_t len)
{
	return len - 1 <= UINT64_MAX - addr ? addr + (len - 1) : UINT64_MAX;
}

struct cells_split {
	uint32_t from, to; /* `to' is the new cell */
	uint64_t addr;	   /* the bytes that it took */
	uint32_t len;
};

/* A cell without a past: bytes that had none. */
struct cells_fresh {
	uint32_t id;
	uint64_t addr;
	uint32_t len;
};

#define CELLS_CACHE 1024

struct cells {
	struct map index;    /* page number, to the page */
	struct keyset pages; /* page numbers */
	struct {
		uint64_t number;
		struct cells_page *page;
	} cache[CELLS_CACHE];
	VEC(struct cells_page *) blocks; /* all memory of pages */
	struct cells_page *unused;	 /* list */
	VEC(struct cells_word) words;	 /* words of more than one cell */
	VEC(uint32_t) unused_words;
	uint32_t count;
	VEC(uint32_t) again; /* ids to give out again */

	VEC(uint32_t) ids;
	VEC(struct cells_split) splits;
	VEC(struct cells_fresh) fresh;
	VEC(uint32_t) dropped;
};

void cells_release(struct cells *c);
/* Aborts where pages, words and ids do not fit together.  Slow: for tests. */
void cells_check(const struct cells *c);

/* The cells of [addr, addr + len), made where there are none.  Returns how many; when it is one,
 * it is *one and ids stays as it was.  Precondition: len is not 0, the range ends within 2^64. */
uint32_t cells_touch(struct cells *c, uint64_t addr, uint64_t len, uint32_t *one);

/* The same for cells that exist; none are made. */
uint32_t cells_find(struct cells *c, uint64_t addr, uint64_t len, uint32_t *one);

/* The bytes have no cells any more.  Costs what exists there, however long the range. */
void cells_drop(struct cells *c, uint64_t addr, uint64_t len);

/* An id for bytes that the caller keeps track of. */
uint32_t cells_id_new(struct cells *c);

/* Give a dropped id out again. */
void cells_recycle(struct cells *c, uint32_t id);

#endif /* ORDER_CELLS_H */
