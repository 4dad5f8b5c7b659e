/*
 * Points as they come, kept, and the lattice of them by the words of lattice/point.h: every cut is
 * tried with every point.  For computations of at most 32 points.
 */
#ifndef TESTS_POINTS_NAIVE_H
#define TESTS_POINTS_NAIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "lattice/point.h"
#include "runs.h"

#define NAIVE_POINTS 32
#define NAIVE_SETS 96
#define NAIVE_LANES 16

struct naive_point {
	uint64_t pos;
	uint32_t lane, index;
	uint32_t needs;		      /* mask of points */
	uint64_t starts[2], joins[2]; /* masks of sets */
	bool relevant;
};

struct naive_set {
	uint32_t resource;
	unsigned flags;
	uint32_t members; /* mask of points */
	int starter;
	bool closed;
};

struct points_naive {
	struct naive_point at[NAIVE_POINTS];
	uint32_t n;
	struct naive_set sets[NAIVE_SETS];
	uint32_t nsets;
	uint32_t count[NAIVE_LANES];
	bool ended[NAIVE_LANES];
	const char *broken; /* what the caller did against the rules; NULL nothing */
};

struct point_sink points_naive_sink(struct points_naive *p);
bool points_naive_enabled(const struct points_naive *p, uint32_t done, uint32_t i);
bool points_naive_count(const struct points_naive *p, uint32_t limit, struct runs_counts *out);

#endif /* TESTS_POINTS_NAIVE_H */
