/*
 * Lock trees for people: which locks each thread takes inside which.
 *
 *	T2 "pay"
 *	  a            3 times  bank.c:10 in take
 *	    b          3 times  bank.c:12 in pay
 *	T3 does not nest its locks (event 17): it has no tree
 *
 * A tree says which lock it is by an event alone; names come from brief evidence about those events.
 */
#ifndef REPORT_LOCK_TREES_H
#define REPORT_LOCK_TREES_H

#include "base/common.h"

struct evidence;
struct locktree;
struct trace;

#define LOCK_TREES_LINES 10000 /* of all trees; what is left out is counted */

/* What is printed of them. */
struct lock_trees {
	const struct locktree *trees; /* borrowed */
	uint32_t only;		      /* a thread; 0 all */
	VEC(uint64_t) wanted;	      /* positions, ascending, that must have names */
};

/* Precondition: the trees are complete. */
void lock_trees_init(struct lock_trees *l, const struct locktree *trees, uint32_t only);
void lock_trees_release(struct lock_trees *l);

/* ev: about the wanted events. */
void lock_trees_print(const struct lock_trees *l, const struct evidence *ev, FILE *to);

#endif /* REPORT_LOCK_TREES_H */
