/*
 * Uses of memory after it was freed, and blocks freed twice, in the recorded run itself.
 *
 * Nothing is predicted here: it happened.  A free that some other run may bring before a use is a race,
 * and the business of others; so is one that came first by chance.
 *
 * It is fed with the events of a trace, in their order.  What makes it sure:
 *
 *	- the block was allocated in the trace, so where it begins and ends is known;
 *	- the use names the free as the last write of its word: it saw, or replaced, what the free left;
 *	- nobody has got the memory in between.  An allocation that may have come before the use, for
 *	  nothing that the trace tells orders the two, counts as having come before.  Allocations that
 *	  no event tells of are listed in the trace (trace_hides);
 *	- the block does not end with a page.  One that does may be a mapping of its own, which goes back
 *	  to the kernel, and who gets the addresses next is not always seen.
 *
 * Of a range the first word counts: it is what the pointer points to.  A call that is told after it
 * was done, a lock say, may have been done before the free, unless its thread knew of the free by then.
 *
 * Ownership: the caller owns the struct; zeroed it has seen nothing.
 */
#ifndef PREDICT_STALE_H
#define PREDICT_STALE_H

#include "finding/finding.h"
#include "order/freed.h"

struct event;
struct trace;

/* A piece of a block that was freed. */
struct stale_free {
	uint64_t pos, tseq, addr;
	uint32_t tid, site;
	uint32_t uses; /* the last use of it + 1 */
};

struct stale_use {
	struct stale_free free;
	uint64_t pos, tseq, addr;
	uint32_t tid, site;
	uint8_t op;
	uint8_t state;	 /* enum use_state */
	uint32_t before; /* the use before it of the same piece + 1 */
};

/* Where the next piece of a thread's range would lie. */
struct stale_range {
	uint64_t addr, tseq;
};

struct stale {
	bool text;		      /* the order of the trace is that of the run */
	struct freed live, freed;     /* blocks; pieces of them, numbers in frees */
	VEC(struct stale_free) frees; /* of pieces that are in `freed' */
	VEC(uint32_t) unused;	      /* numbers in frees */
	struct map versions; /* thread and event number / 64, to bits: words that are free */
	struct map known;    /* two threads, to the last event of the second that the first knows */
	VEC(struct stale_use) uses;
	VEC(struct stale_range) ranges; /* [tid] */
	struct map alike; /* the places of a use and its free, to how many uses there are */
};

void stale_release(struct stale *s);
void stale_take(struct stale *s, const struct event *e);

/* Adds what was found.  whole: the trace was read to the end of the run. */
void stale_find(struct stale *s, const struct trace *t, bool whole, struct findings *out);

#endif /* PREDICT_STALE_H */
