/*
 * Sites that are one place to a reader.
 *
 * A recording has a site for each instruction: `x++' is two.  Engines report pairs of places, so
 * sites of one source line about one variable count as the first of them that was met.
 * In text a site is a location field and stands for itself.
 *
 * Locks are often taken by a function that is there for nothing else, so the place of a lock
 * operation is its site and the family of the lock: the variable, or the offset in a heap block.
 * The locks of an array are one family, also on the heap, but for the first few.
 *
 * Ownership: the caller owns the struct; the trace is borrowed.
 */
#ifndef ORDER_PLACES_H
#define ORDER_PLACES_H

#include "base/common.h"

struct trace;

struct places {
	struct trace *trace; /* NULL: sites stand for themselves */
	VEC(uint32_t) first; /* by site: 1 + the site that stands for it; 0 not met yet */
	struct map by_hash;
	struct map families; /* by hash of the name, number from 1 */
	struct map blocks;   /* locks met, by object */
	struct map of_locks; /* by site << 32 | family, number */
};

void places_init(struct places *p, struct trace *t);
void places_release(struct places *p);

uint32_t places_make(struct places *p, uint32_t site);

static inline uint32_t places_of(struct places *p, uint32_t site)
{
	if (!p->trace)
		return site;
	if (site < p->first.n && p->first.at[site] != 0)
		return p->first.at[site] - 1;
	return places_make(p, site);
}

/* The family of a lock that appears at addr now; 0 in text. */
uint32_t places_family(struct places *p, uint64_t addr);
/* The number, no site, for a lock operation at a site that stands for its place. */
uint32_t places_of_lock(struct places *p, uint32_t site, uint32_t family);

#endif /* ORDER_PLACES_H */
