/*
 * The slices of recent free reads: what must run for each to see what it saw.
 *
 * Feeds name reads by their number in the thread.  A chain remembers its last SLICES_KEPT free
 * reads; the slices of older ones are joined into one.  A feed that is not among the kept ones and
 * could be older takes that join: a slice that is too large only takes reports away.
 */
#ifndef COMPARE_SLICES_PRIV_H
#define COMPARE_SLICES_PRIV_H

#include <stdint.h>

#include "base/vec.h"
#include "order/stamp.h"
#include "order/step.h"

#define SLICES_KEPT 64

struct slice {
	uint64_t first, end; /* numbers: a ranged read has one for each word */
	struct stamp stamp;
};

struct slice_ring {
	uint32_t tid;	  /* a chain is one thread after another */
	uint64_t n;	  /* reads so far; the last SLICES_KEPT are in at[i % SLICES_KEPT] */
	uint64_t old_end; /* numbers below belong to reads in `old', or are not free */
	struct stamp old;
	struct slice at[SLICES_KEPT];
};

struct slices {
	struct stamps *stamps;		   /* borrowed */
	VEC(struct slice_ring *) by_chain; /* NULL: no free read yet */
};

void slices_init(struct slices *q, struct stamps *stamps);
void slices_release(struct slices *q);

/* s is a free read. */
void slices_add(struct slices *q, const struct step *s, const struct stamp *slice);

/* into := into joined with the slices of the feeds of s, as far as `now' does not know them. */
void slices_feed(struct slices *q, const struct step_batch *b, const struct step *s,
		 const struct stamp *now, struct stamp *into);

#endif /* COMPARE_SLICES_PRIV_H */
