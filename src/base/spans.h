/*
 * Stretches of memory that do not overlap, by address.
 *
 * A treap: a million of them stay fast, and hostile orders stay balanced.
 *
 * Ownership: the caller owns the struct.
 */
#ifndef BASE_SPANS_H
#define BASE_SPANS_H

#include "base/common.h"

struct span {
	uint64_t addr, len; /* an empty one still has an address */
	uint64_t id;
	uint64_t base;	 /* for the caller, like those below: */
	uint32_t number; /* ... */
	uint8_t kind;	 /* ... */

	/* spans.c */
	uint32_t rank; /* a parent's is not below its children's */
	uint32_t left, right;
};

struct spans {
	VEC(struct span) nodes; /* node 0 is the empty tree */
	uint32_t root, unused;	/* unused: free list through `left' */
	uint64_t seed;
};

void spans_init(struct spans *s);
void spans_release(struct spans *s);

/* addr + len does not wrap.  Whatever it overlaps goes. */
void spans_put(struct spans *s, struct span span);
/* The same, but of what it overlaps the other bytes stay. */
void spans_lay(struct spans *s, struct span span);
/* The bytes [addr, addr + len) are in none. */
void spans_clear(struct spans *s, uint64_t addr, uint64_t len);
/* Takes out the one that begins at addr. */
void spans_remove(struct spans *s, uint64_t addr);

/* The one around addr, or NULL; good until the next change. */
const struct span *spans_find(const struct spans *s, uint64_t addr);

static inline uint64_t span_end(const struct span *s)
{
	return s->addr + (s->len ? s->len : 1);
}

#endif /* BASE_SPANS_H */
