/*
 * Blocks that are meant to be atomic: which block an event is part of.
 *
 * A block is an outermost BEGIN .. END of a thread, or an outermost call of a function that is meant to
 * be atomic; where the two overlap they are one.  A condition wait ends it and its waking
 * begins it anew, for somebody else must run there.  One that is still open when its thread, or the
 * trace, ends goes to the last event there is.
 *
 * Read-only once made.
 */
#ifndef PREDICT_BLOCKS_H
#define PREDICT_BLOCKS_H

#include "base/common.h"

struct model;

struct blocks {
	uint32_t *of; /* by event: the first event of its block; 0: it is in none */
	uint32_t n;   /* blocks */
};

void blocks_init(struct blocks *b, const struct model *m);
void blocks_release(struct blocks *b);

#endif /* PREDICT_BLOCKS_H */
