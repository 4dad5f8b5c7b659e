/*
 * Threads as chains: which clock component a thread's events count in.
 *
 * A thread that joined u has all of u behind it, and so has every thread it forks later: one of
 * those may go on where u ended.  Each thread keeps a list of chains it may hand on: that of
 * every thread it joined, and what those had in hand themselves.
 *
 *	T1   fork T2 ......... join T2   fork T3
 *	        T2 ========|                T3 ======      one chain
 *
 * Ownership: the caller owns the struct; zeroed it has no threads.
 */
#ifndef ORDER_CHAINS_H
#define ORDER_CHAINS_H

#include "base/common.h"

#define CHAINS_NONE UINT32_MAX

struct chains_thread {
	uint32_t chain;	      /* CHAINS_NONE: none yet */
	uint32_t first, last; /* chains to hand on; CHAINS_NONE empty */
	uint32_t parent;      /* who forked it; 0 nobody */
	bool ran, joined;
};

struct chains {
	VEC(uint32_t) next; /* [chain]: in a list of chains to hand on */
	VEC(struct chains_thread) threads;
	VEC(uint32_t) current; /* [tid]: its chain while nothing special is to be done */
};

void chains_release(struct chains *c);

/* The chain of the next event of tid.  *lost: the thread was joined before, so this event is in
 * no order with the rest of its chain; it starts another, and no reordering can have it. */
uint32_t chains_run_slow(struct chains *c, uint32_t tid, bool *lost);
static inline uint32_t chains_run(struct chains *c, uint32_t tid, bool *lost)
{
	if (tid < c->current.n && c->current.at[tid] != CHAINS_NONE)
		return c->current.at[tid];
	return chains_run_slow(c, tid, lost);
}

/* The chain of a thread that runs; CHAINS_NONE when nothing is known of it. */
uint32_t chains_of(const struct chains *c, uint32_t tid);
/* The child's chain; CHAINS_NONE when it cannot be this fork that made it. */
uint32_t chains_fork(struct chains *c, uint32_t tid, uint32_t child);
/* That fork made nothing: its chain is in hand again. */
void chains_fork_failed(struct chains *c, uint32_t tid, uint32_t child);
/* The chain of a thread that has ended; CHAINS_NONE when nothing is known of it. */
uint32_t chains_join(struct chains *c, uint32_t tid, uint32_t child);

#endif /* ORDER_CHAINS_H */
