/*
 * What a walk sees of the candidates: per cell its accesses, reduced to what decides about pairs.
 */
#ifndef PREDICT_CANDIDATES_PRIV_H
#define PREDICT_CANDIDATES_PRIV_H

#include "base/vec.h"
#include "predict/candidates.h"

/* Chain and held locks of an access; many accesses have one in common. */
struct candidate_owner {
	uint32_t chain, set;
};

/* One cell of one access.  owner and kind together are its class. */
struct candidate_access {
	uint32_t e;
	uint32_t owner;
	uint32_t kind; /* place << 2 | writes << 1 | atomic */
};

#define KIND_ATOMIC 1u
#define KIND_WRITES 2u

struct candidates {
	const struct model *m;
	struct candidate_access *accesses; /* those of one cell together, in trace order */
	uint64_t *start;		   /* by cell: where its accesses begin; [ncells] the end */
	uint64_t *has;			   /* by event, a bit */
	VEC(uint32_t) cells;
	VEC(uint32_t) piece_start; /* into cells; a last one ends it */
	VEC(struct candidate_owner) owners;
	uint32_t nplaces;
};

/* The two may race as far as chains, operations and locks tell. */
bool candidates_may_race(const struct candidates *c, const struct candidate_access *a,
			 const struct candidate_access *b);

#endif /* PREDICT_CANDIDATES_PRIV_H */
