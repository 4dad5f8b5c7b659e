/*
 * What a walk sees of the candidates: per cell its accesses, reduced to what decides about pairs.
 */
#ifndef PREDICT_CANDIDATES_PRIV_H
#define PREDICT_CANDIDATES_PRIV_H

#include "base/common.h"
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

/*
 * A cell's guard is a lock that most of its accesses hold, if there is one.  Two accesses that
 * hold it, where every write holds it alone, cannot race: such pairs need not be looked at one by
 * one, though other locks they hold may make thousands of classes of them.
 */
#define NO_GUARD UINT32_MAX

/* The access holds the lock, alone or to read. */
bool candidates_is_guarded(const struct candidates *c, const struct candidate_access *a,
			   uint32_t guard);

#define KIND_ATOMIC 1u
#define KIND_WRITES 2u

struct candidates {
	const struct model *m;
	struct candidate_access *accesses; /* those of one cell together, in trace order */
	uint64_t *start;		   /* by cell: where its accesses begin; [ncells] the end */
	VEC(uint32_t) cells;
	VEC(uint32_t) guards;	   /* of each of those: its guard, or NO_GUARD */
	VEC(uint32_t) piece_start; /* into cells; a last one ends it */
	VEC(struct candidate_owner) owners;
	uint32_t nplaces;
};

/* The two may race as far as chains, operations and locks tell. */
bool candidates_may_race(const struct candidates *c, const struct candidate_access *a,
			 const struct candidate_access *b);

#endif /* PREDICT_CANDIDATES_PRIV_H */
