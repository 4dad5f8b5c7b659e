/*
 * The locks each chain holds, and sets of locks as small numbers: equal sets, equal ids.
 */
#ifndef COMPARE_LOCKSETS_PRIV_H
#define COMPARE_LOCKSETS_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/map.h"
#include "base/vec.h"

#define LOCKSETS_EMPTY 0u

struct lockset {
	const uint32_t *locks; /* ascending */
	uint32_t n;
};

struct lockset_held {
	uint32_t lock;
	bool shared;
};

struct lockset_chain {
	VEC(struct lockset_held) held;
	uint32_t all, write; /* ids of what is held, and of what is held in write mode */
	bool stale;	     /* the two ids are out of date */
};

struct locksets {
	struct intern *ids;	  /* the locks' numbers as bytes */
	VEC(struct lockset) sets; /* [id]; 0 is the empty set */
	struct map common;	  /* two ids: that of what they share */
	VEC(struct lockset_chain) chains;
	VEC(uint32_t) scratch;
};

void locksets_init(struct locksets *s);
void locksets_release(struct locksets *s);

void locksets_acquire(struct locksets *s, uint32_t chain, uint32_t lock, bool shared);
void locksets_release_lock(struct locksets *s, uint32_t chain, uint32_t lock);
/* The chain holds nothing: another thread goes on with it. */
void locksets_forget(struct locksets *s, uint32_t chain);

/* The set that protects a read, or a write, of the chain now. */
uint32_t locksets_held(struct locksets *s, uint32_t chain, bool writes);
uint32_t locksets_common(struct locksets *s, uint32_t a, uint32_t b);

#endif /* COMPARE_LOCKSETS_PRIV_H */
