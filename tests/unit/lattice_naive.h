/*
 * Random computations, and their lattices by the definition: every cut is an array of counts, a
 * level a list, each question a loop over all sets.  Shares no code with src/lattice.
 *
 * Configurations are those of a toy: a number that each item changes in its own way, so that the
 * order of items shows.  Property 0 is violated in some of its states, property 1 has an error in
 * others, and both stay so.  lattice_toy.h makes the same of real monitors.
 */
#ifndef TESTS_LATTICE_NAIVE_H
#define TESTS_LATTICE_NAIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/big.h"
#include "lattice/point.h"

#define NAIVE_LANES 6
#define NAIVE_POINTS 16
#define NAIVE_SETS 16
#define NAIVE_STATES 11u /* of a configuration, apart from verdicts */

struct naive_point {
	uint32_t lane, index; /* index in the lane */
	struct point_need needs[3];
	uint32_t nneeds;
	uint32_t starts[2], nstarts, joins[2], njoins;
	uint32_t closes[2], ncloses; /* right after it */
	uint32_t item;		     /* 0: none */
};

struct naive_set {
	uint32_t resource;
	unsigned flags;
	int start; /* point; -1: never started */
	bool member[NAIVE_POINTS];
	int closed; /* after that point; NAIVE_POINTS: at the end; -1: never */
};

struct naive {
	uint32_t nlanes, n, nsets;
	struct naive_point at[NAIVE_POINTS]; /* in observed order */
	struct naive_set sets[NAIVE_SETS];
	bool configs;
};

struct naive_answer {
	uint64_t cuts, edges, runs, violating, dead_ends, levels, widest;
	uint64_t found_level[2]; /* by property; UINT64_MAX: not */
	uint8_t found_cut[2][NAIVE_LANES];
};

void naive_random(struct naive *c, uint64_t *seed);
void naive_solve(const struct naive *c, struct naive_answer *out);
bool naive_may(const struct naive *c, const uint8_t *cut, uint32_t lane, int *point);
uint32_t naive_step(uint32_t config, uint32_t item);
uint64_t naive_bad(uint32_t config);
uint64_t naive_error(uint32_t config);
/* Sends point i, and what comes with it. */
void naive_send(const struct naive *c, uint32_t i, const struct point_sink *sink);
uint32_t naive_number(uint64_t *seed, uint32_t below);

#endif /* TESTS_LATTICE_NAIVE_H */
