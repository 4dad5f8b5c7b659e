/*
 * Lock trees (Havelund, SPIN 2000): for each thread, which locks it takes inside which.
 *
 *	T1   lock a, lock b, unlock b, lock c, unlock c, unlock a, lock b, unlock b
 *
 *	T1 -+- a -+- b
 *	    |     +- c
 *	    +- b
 *
 * A node stands for every time the thread takes that lock (in that mode) with exactly those locks
 * around it.  Trees make sense only where locks are released in the opposite order; a thread that
 * does otherwise has none.
 *
 * To walk one: thread.root is a node without a lock; node.child is the first inside a node,
 * node.next the next beside it, in order of their first acquires; 0 ends.
 *
 * Ownership: the caller owns the struct.
 */
#ifndef PREDICT_LOCKTREE_H
#define PREDICT_LOCKTREE_H

#include "base/common.h"

struct step;

#define LOCKTREE_NODES 4000000u /* of all trees; threads that want more have none */

struct locktree_event {
	uint64_t pos; /* 0: there is none */
	uint32_t site;
	uint8_t op; /* enum step_op */
};

struct locktree_node {
	uint32_t lock;
	bool shared; /* read mode */
	uint32_t parent, child, last, next;
	uint32_t depth;		     /* of roots: 0 */
	uint64_t count;		     /* acquires */
	struct locktree_event first; /* the first acquire, or the request that never got there */
	struct locktree_event ask;   /* the first of them that could have waited for ever */
};

struct locktree_thread {
	uint32_t root;	 /* 0: it took no lock */
	uint32_t now;	 /* the innermost node that is held */
	uint64_t broken; /* position of the release that does not nest; 0 none */
	bool cut;	 /* too many nodes */
};

struct locktree {
	VEC(struct locktree_node) nodes;     /* [0] unused */
	VEC(struct locktree_thread) threads; /* by tid */
	struct map children;		     /* parent << 32 | lock << 1 | shared, to the node */
};

void locktree_init(struct locktree *t);
void locktree_release(struct locktree *t);

/* Steps in order; those of other kinds are passed over. */
void locktree_step(struct locktree *t, const struct step *s);

static inline bool locktree_has(const struct locktree *t, uint32_t tid)
{
	const struct locktree_thread *th = &t->threads.at[tid];

	return th->root != 0 && th->broken == 0 && !th->cut;
}

/* In preorder, within the tree below `top': the node after `node', without what is inside it when
 * skip is set.  0: it was the last. */
uint32_t locktree_after(const struct locktree *t, uint32_t top, uint32_t node, bool skip);

#endif /* PREDICT_LOCKTREE_H */
