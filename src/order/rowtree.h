/*
 * Rows of counters that share what they have in common.
 *
 * A row is a tree of small nodes over its keys; two rows share the nodes in which they agree, and
 * a part that is all zero has no node.  So a row that differs from another in one counter costs a
 * path, and a join looks only where the two differ.  With a thread for each of a hundred thousand
 * requests, each knowing most of those before it, that is the difference between a page and the
 * square of the threads.
 *
 *	row 1    { a b }		row 2 := row 1 with a counter of the right half raised
 *		  /   \
 *		left   right		row 2   { a b' }	left is in memory once
 *
 * Nodes are never changed once somebody may hold them.  Who makes a row step by step takes a
 * mark first (rowtree_mark): nodes made since are his own, and are changed in place.
 *
 * A scratch area reads the rows of another one and makes its own beside them, which it forgets at
 * once (rowtree_forget).
 *
 * Ownership: the caller owns the struct.  Threads: a finished struct may be read by all; a scratch
 * area belongs to one.
 */
#ifndef ORDER_ROWTREE_H
#define ORDER_ROWTREE_H

#include "base/common.h"

#define ROWTREE_BITS 4u
#define ROWTREE_FAN (1u << ROWTREE_BITS)
#define ROWTREE_BLOCK 1024u /* nodes */

/* Of a leaf: counters; of others: nodes, 0 for all zero. */
struct rowtree_node {
	uint32_t at[ROWTREE_FAN];
};

struct rowtree {
	uint32_t keys, levels; /* levels: nodes from the root to a counter, at least 1 */
	uint32_t n;	       /* nodes so far; node 0 stands for all zero */
	uint32_t first;	       /* scratch: its own nodes begin there; else 0 */
	VEC(struct rowtree_node *) blocks; /* ROWTREE_BLOCK each; they do not move */
};

/* A key of which both rows of a join had something, but not the same. */
struct rowtree_clash {
	uint32_t key, mine, other;
};
struct rowtree_clashes {
	VEC(struct rowtree_clash) at;
};

void rowtree_init(struct rowtree *r, uint32_t keys);
/* For rows of `from', which must not grow any more. */
void rowtree_init_scratch(struct rowtree *r, const struct rowtree *from);
void rowtree_release(struct rowtree *r);
/* Scratch: all rows that it has made are gone. */
void rowtree_forget(struct rowtree *r);

/* Row 0 is all zero. */
static inline uint32_t rowtree_at(const struct rowtree *r, uint32_t row, uint32_t key)
{
	for (uint32_t level = r->levels; row != 0 && level-- > 0;)
		row = r->blocks.at[row / ROWTREE_BLOCK][row % ROWTREE_BLOCK]
			      .at[key >> level * ROWTREE_BITS & (ROWTREE_FAN - 1)];
	return row;
}

static inline uint32_t rowtree_mark(const struct rowtree *r)
{
	return r->n;
}

/* The row with the counter of a key raised to value, if it is below. */
uint32_t rowtree_raise(struct rowtree *r, uint32_t row, uint32_t key, uint32_t value,
		       uint32_t mark);

/* The larger one of each counter.  pair: counters with keys 2k and 2k + 1 belong together; where
 * the two rows differ in such a pair, and each has something there, *clashes (NULL: nobody wants
 * to know) gets the even one, and the odd one after it. */
uint32_t rowtree_join(struct rowtree *r, uint32_t row, uint32_t other, uint32_t mark,
		      struct rowtree_clashes *clashes);

/* All counters of a are below or equal to those of b, that of key `but' aside. */
bool rowtree_leq(const struct rowtree *r, uint32_t a, uint32_t b, uint32_t but);

/* cut := cut joined with the row; cut has all keys. */
void rowtree_into(const struct rowtree *r, uint32_t row, uint32_t *cut);

#endif /* ORDER_ROWTREE_H */
