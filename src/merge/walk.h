/*
 * The events of one thread in its own order, without merging.
 *
 * Ownership: the caller owns the structs; blocks and stacks are borrowed.
 */
#ifndef MERGE_WALK_H
#define MERGE_WALK_H

#include "recording/decode.h"

struct walk {
	struct blocks *blocks;
	const struct blocks_thread *src;
	uint32_t number; /* of the next chunk */
	struct decode_cursor cursor;
	struct decode_item item;
};

/* From chunk `number' on.  stacks may be NULL. */
void walk_begin(struct walk *w, struct blocks *b, const struct blocks_thread *src, uint32_t number,
		struct stacks *stacks);
/* The next numbered event into w->item; false at the end. */
bool walk_next(struct walk *w);
void walk_end(struct walk *w);

/* What the thread's beginning says, or else the first chunk that is left of it. */
struct walk_root {
	uint64_t low, len; /* the stack; 0: not known */
	bool rooted;	   /* its first function was called by nothing unseen */
	char *name;	   /* by the end of that chunk (mem_free; may be NULL) */
};

/* False: nothing is left. */
bool walk_root(struct blocks *b, const struct blocks_thread *src, struct walk_root *r);

#endif /* MERGE_WALK_H */
