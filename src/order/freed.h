/*
 * Memory that was freed and not given out again, as ranges of addresses.
 *
 * Ownership: the caller owns the struct.
 */
#ifndef ORDER_FREED_H
#define ORDER_FREED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "order/keyset.h"

struct freed {
	struct keyset lasts; /* last byte of each range; ranges do not overlap */
	struct map firsts;   /* last byte, to the first */
};

void freed_init(struct freed *f);
void freed_release(struct freed *f);

/* Precondition of all: the range ends within 2^64; an empty one changes nothing. */
void freed_add(struct freed *f, uint64_t addr, uint64_t len);
void freed_remove(struct freed *f, uint64_t addr, uint64_t len);
/* Some byte of it is freed. */
bool freed_has(const struct freed *f, uint64_t addr, uint64_t len);

#endif /* ORDER_FREED_H */
