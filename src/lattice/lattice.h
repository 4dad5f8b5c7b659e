/*
 * The computation lattice, level by level, two levels in memory.
 *
 * A node is a cut that some run passes, with the configurations (monitor/config.h) that runs have
 * there.  Level n holds the cuts of n points; its successors make level n + 1.  A level can be
 * built when for each of its nodes the next point of each lane is known, or known not to be
 * possible yet; else it waits for more points, or for lattice_finish.  So it makes no difference
 * whether points come while the program runs or all at once.
 *
 * What costs memory is bounded: nodes of a level (breadth), points that wait (horizon).  Where a
 * bound is met some runs are left out, never made up, and lattice_counts says so.
 *
 * Answers do not depend on the number of jobs.
 *
 * Ownership: a lattice copies what it is given.  configs is borrowed.
 */
#ifndef LATTICE_LATTICE_H
#define LATTICE_LATTICE_H

#include <signal.h>

#include "base/big.h"
#include "lattice/point.h"

struct configs;

struct lattice_options {
	struct configs *configs; /* NULL: counts only */
	bool count;		 /* runs and violating runs too; costs memory */
	uint64_t breadth; /* nodes of a level that are kept, at least 1; 0: what memory allows */
	uint64_t memory;  /* bytes for levels; 0: the default */
	uint64_t budget;  /* cuts to build in full; then the breadth is 1.  0: the default */
	uint32_t horizon; /* points that may wait for a level; 0: the default */
	unsigned jobs;
	/* Keeps every level, for lattice_path and lattice_each. */
	bool keep;
	const volatile sig_atomic_t *stop; /* or NULL */
};

/* The first level at which a property is violated, by its smallest cut. */
struct lattice_found {
	uint32_t property;   /* number in the monitors */
	bool error;	     /* not violated: an expression has no value */
	uint64_t level, pos; /* pos: of the point that did it; 0 the initial state */
	VEC(uint32_t) cut;   /* by lane */
};

struct lattice_counts {
	uint64_t cuts, edges, dead_ends, levels, widest;
	struct big runs, violating_runs; /* with count; violating: any property, at any time */
	bool counted;
	bool truncated; /* some runs were left out */
	char why[200];	/* in words, with the level */
	uint64_t bytes; /* most that two levels took together */
};

struct lattice;
struct lattice *lattice_new(const struct lattice_options *opt);
void lattice_free(struct lattice *l);
/* Aborts where lanes and levels are not what they should be.  Slow: for tests. */
void lattice_check(const struct lattice *l);

/* Where its points go. */
struct point_sink lattice_sink(struct lattice *l);
/* Builds all levels that can be. */
void lattice_build(struct lattice *l);
/* Nothing more comes: builds the rest. */
void lattice_finish(struct lattice *l);

/* So far; both may be asked after lattice_build. */
void lattice_counts(const struct lattice *l, struct lattice_counts *out);
void lattice_counts_release(struct lattice_counts *c);
size_t lattice_nfound(const struct lattice *l);
const struct lattice_found *lattice_found(const struct lattice *l, size_t i);

/* Properties of which nothing could be said any more in some run (a value is not known). */
uint64_t lattice_unknown(const struct lattice *l);

/* keep: positions of the points of one run from the start to the found cut, at whose end the
 * property is violated.  False: there is none (the lattice was cut short on the way). */
struct lattice_run {
	VEC(uint64_t) pos;
};
bool lattice_path(const struct lattice *l, const struct lattice_found *f, struct lattice_run *out);

/* keep: nodes and edges, level by level, each level in a fixed order. */
struct lattice_node {
	uint64_t level, index; /* index within the level */
	const uint32_t *cut;   /* by lane */
	uint32_t nlanes;
	const uint32_t *configs; /* numbers; NULL without */
	uint32_t nconfigs;
	bool observed; /* the observed run passes here */
	bool dead;     /* a dead end */
};
struct lattice_edge {
	uint64_t level, from, to; /* index in level and level + 1 */
	uint64_t pos;		  /* of the point */
};
struct lattice_visitor {
	void *arg;
	void (*node)(void *arg, const struct lattice_node *n);
	void (*edge)(void *arg, const struct lattice_edge *e);
};
void lattice_each(const struct lattice *l, const struct lattice_visitor *v);

#endif /* LATTICE_LATTICE_H */
