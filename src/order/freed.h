/*
 * Memory that was freed and not given out again, as ranges of addresses.
 *
 * FREE writes all of its block, and most of a block has no cells yet.  So each range has one cell
 * that stands for its bytes without cells: FREE touches it, and who touches such bytes later gets
 * a cell that is split from it.
 *
 * Ownership: the caller owns the struct; zeroed it has no ranges.
 */
#ifndef ORDER_FREED_H
#define ORDER_FREED_H

#include "base/common.h"
#include "base/keyset.h"

struct freed {
	struct keyset lasts; /* last byte of each range; ranges do not overlap */
	struct map firsts;   /* last byte, to the first */
	struct map cells;    /* last byte, to the cell */
	uint64_t n;	     /* ranges */
};

struct freed_range {
	uint64_t first, last;
	uint32_t cell;
};

void freed_release(struct freed *f);

/* The lowest range that has a byte of [first, last]. */
bool freed_find(const struct freed *f, uint64_t first, uint64_t last, struct freed_range *out);
/* Precondition: no byte of it is in a range. */
void freed_add(struct freed *f, const struct freed_range *r);
/* Precondition: freed_find has found it. */
void freed_remove(struct freed *f, const struct freed_range *r);

#endif /* ORDER_FREED_H */
