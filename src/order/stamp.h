/*
 * Clocks of chains, with counters that are shared while they do not change.
 *
 * The value of a stamp at chain u is `time' for u == chain, else the counter in its frame.  A chain
 * keeps a stamp as its own clock and publishes it by copying: a release costs one reference,
 * whatever the number of chains.  Frames are immutable while somebody else holds them.
 *
 *	chain 2's clock     frame { 5 0 . 9 }  chain 2  time 7
 *	published at 7            the same frame, chain 2  time 7      then chain 2 ticks to 8
 *
 * Rule: who publishes its own clock ticks before it does anything else.  Then "u's time 7 is known
 * here" implies that all that u knew at 7 is known, and a join of what is known costs nothing.
 *
 * Past STAMP_PAGE chains a frame is a list of pages, which are shared in the same way.  A join
 * skips pages that are the same and takes over those that are larger, so its cost follows what
 * changed; counters of threads that are long gone are in memory once.
 *
 * A zeroed stamp knows nothing.  "Never" is above all clocks; it absorbs in joins.
 *
 * Ownership: frames live in a struct stamps and die with it; stamps need no release at the end.
 * Threads:   none; one struct stamps for one analysis.
 */
#ifndef ORDER_STAMP_H
#define ORDER_STAMP_H

#include "base/common.h"

#define STAMP_PAGE 64u
#define STAMP_CLASSES 30

struct stamp_frame {
	union {
		uint64_t refs;
		struct stamp_frame *spare; /* while nobody holds it */
	};
	uint32_t n;	/* counters; those past it are zero */
	uint32_t class; /* n == 4 << class */
	union {
		uint32_t at[0];		     /* n <= STAMP_PAGE */
		struct stamp_frame *page[0]; /* else, STAMP_PAGE counters each; NULL: all zero */
	};
};

struct stamp {
	struct stamp_frame *frame; /* NULL: all zero */
	uint32_t chain;		   /* STAMP_MIXED: time means nothing */
	uint32_t time;
};

#define STAMP_MIXED UINT32_MAX /* a join of several; "its time is known" cannot be asked */

struct stamps {
	struct stamp_frame *spare[STAMP_CLASSES];
	struct stamp_frame *never;
	VEC(void *) blocks;
};

void stamps_init(struct stamps *p);
void stamps_release(struct stamps *p);

/* into := from. */
void stamp_set(struct stamps *p, struct stamp *into, const struct stamp *from);
void stamp_clear(struct stamps *p, struct stamp *s);
void stamp_make_never(struct stamps *p, struct stamp *s);

/* A chain's own clock takes in what from knows. */
void stamp_join(struct stamps *p, struct stamp *into, const struct stamp *from);

/* The same for a clock that is no chain's: it becomes the join of all it was given. */
void stamp_collect(struct stamps *p, struct stamp *into, const struct stamp *from);

/* a is below or equal to b in all counters. */
bool stamp_leq(const struct stamps *p, const struct stamp *a, const struct stamp *b);

static inline bool stamp_is_never(const struct stamps *p, const struct stamp *s)
{
	return s->frame == p->never;
}

static inline uint32_t stamp_frame_at(const struct stamp_frame *f, uint32_t chain)
{
	const struct stamp_frame *page;

	if (!f || chain >= f->n)
		return 0;
	if (f->n <= STAMP_PAGE)
		return f->at[chain];
	page = f->page[chain / STAMP_PAGE];
	return page ? page->at[chain % STAMP_PAGE] : 0;
}

/* The counter of a chain that is not the stamp's own. */
static inline uint32_t stamp_other(const struct stamp *s, uint32_t chain)
{
	return stamp_frame_at(s->frame, chain);
}

static inline uint32_t stamp_at(const struct stamp *s, uint32_t chain)
{
	return chain == s->chain ? s->time : stamp_other(s, chain);
}

#endif /* ORDER_STAMP_H */
