/*
 * How many signatures there are to decide: those with a pair of accesses that no lock and no hard
 * edge keeps apart.
 */
#ifndef PREDICT_CENSUS_H
#define PREDICT_CENSUS_H

#include <stdbool.h>
#include <stdint.h>

struct candidates;
struct causal;
struct engine_options;
struct model;

/* hard: CAUSAL_HARD.  *complete: false when the run was stopped or there are too many. */
uint64_t census(const struct model *m, const struct causal *hard,
		const struct candidates *candidates, const struct engine_options *opt,
		bool *complete);

#endif /* PREDICT_CENSUS_H */
