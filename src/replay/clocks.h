/*
 * What each thread knows of the others, at each of its events: so many first events of theirs come
 * before.
 *
 * A clock holds the threads that are known at all, and is kept for good whenever it changes: with
 * many threads most know few.
 *
 * Ownership: the caller owns the struct.
 */
#ifndef REPLAY_CLOCKS_H
#define REPLAY_CLOCKS_H

#include "base/common.h"

struct clocks_known {
	uint32_t thread, count;
};

/* From event `from' of the thread on. */
struct clocks_mark {
	uint32_t from;
	uint32_t n;
	size_t at; /* in pool */
};

struct clocks_thread {
	VEC(struct clocks_mark) marks;
};

struct clocks {
	VEC(struct clocks_thread) threads;
	VEC(struct clocks_known) pool;
	VEC(struct clocks_known) merged;
};

void clocks_init(struct clocks *c, size_t nthreads);
void clocks_release(struct clocks *c);

/* How much of `of' is known at that event of the thread. */
uint32_t clocks_at(const struct clocks *c, uint32_t thread, uint32_t number, uint32_t of);
/* The thread's event `number', its latest so far, comes after event `by' of another. */
void clocks_learn(struct clocks *c, uint32_t thread, uint32_t number, uint32_t other, uint32_t by);

#endif /* REPLAY_CLOCKS_H */
