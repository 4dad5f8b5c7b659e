/*
 * A set of 64-bit numbers that can be walked in order, for ranges that may be huge and hold
 * little: a walk costs what it finds, not how far it goes.
 *
 * Ownership: the caller owns the struct.
 */
#ifndef BASE_KEYSET_H
#define BASE_KEYSET_H

#include "base/common.h"

/* All zero: empty. */
struct keyset {
	struct map nodes; /* level and prefix, to the bits of its children that are there */
};

void keyset_release(struct keyset *k);

void keyset_add(struct keyset *k, uint64_t key);
void keyset_remove(struct keyset *k, uint64_t key);

/* The lowest key in [from, last], if there is one. */
bool keyset_next(const struct keyset *k, uint64_t from, uint64_t last, uint64_t *key);

#endif /* BASE_KEYSET_H */
