/*
 * The runs of a tiny trace that lattices are about, straight from the definitions (doc/SEMANTICS.md
 * 3): the oracle for lattice/.
 *
 *	MVC	conflicting accesses, and the operations of a lock, keep their order
 *	WEAK	reads stay with their writes: a write and what it feeds are not interleaved with others
 *		of the cell, nor are the sections of a lock
 *
 * Both keep program order, forks, joins and wakes after their signals; and a signal comes after the
 * waits that had begun when it was sent, which is our addition.
 *
 * A set of events that are done is a mask.  What may come next is a question about the mask alone.
 */
#ifndef TESTS_RUNS_H
#define TESTS_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "tiny.h"

enum runs_kind { RUNS_MVC, RUNS_WEAK };

/*
 * Events that no run has, when `stopped' (a mask) are such: what follows them in their threads, what
 * must come after one, reads of what one wrote; MVC: what follows the sections of locks that they
 * do not end.  They keep nobody from anything; a lock that they do not release stays taken.
 */
uint32_t runs_absent(const struct tiny *t, enum runs_kind kind, uint32_t stopped);

/* After `done', which some run passes, event e may be next. */
bool runs_enabled(const struct tiny *t, enum runs_kind kind, uint32_t absent, uint32_t done, int e);

struct runs_counts {
	uint64_t cuts, edges, runs, dead_ends, widest;
};

/* False: more than limit cuts. */
bool runs_count(const struct tiny *t, enum runs_kind kind, uint32_t absent, uint32_t limit,
		struct runs_counts *out);

#endif /* TESTS_RUNS_H */
