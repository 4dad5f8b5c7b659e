/*
 * Call stacks as small numbers: a tree of call sites, in which a stack is the
 * path to the root.  Equal stacks get equal ids; 0 is the empty stack.  Grows
 * with the number of distinct stacks, not of events.
 *
 * Ownership: the caller owns the struct.
 */
#ifndef RECORDING_STACKS_H
#define RECORDING_STACKS_H

#include "base/common.h"

struct stacks_node {
	uint32_t parent, site;
	uint32_t depth;
};

struct stacks {
	VEC(struct stacks_node) nodes; /* node 0 is the root */
	struct map children;	       /* parent << 32 | site, to the node */
	VEC(uint32_t) path;	       /* what stacks_get last answered */
};

void stacks_init(struct stacks *s);
void stacks_release(struct stacks *s);

/* The stack with one more call, from `site', on top. */
uint32_t stacks_push(struct stacks *s, uint32_t stack, uint32_t site);
/* The stack cut to its outermost `keep' frames. */
uint32_t stacks_cut(const struct stacks *s, uint32_t stack, uint32_t keep);
/* Number of frames; *sites innermost first, good until the next call. */
uint32_t stacks_get(struct stacks *s, uint32_t stack, const uint32_t **sites);

#endif /* RECORDING_STACKS_H */
