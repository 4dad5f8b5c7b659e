/*
 * What must have happened before: how many points of each lane.
 *
 * A value is never changed once somebody holds it, so that a thread, a cell and a lock that know
 * the same share one.  Most steps of a run teach nobody anything: then both sides are the same
 * value, or a pair that was joined a moment ago, and a join costs no look at the counts.  NULL
 * knows nothing.  "Never" is above all: what needs it is part of no run.
 *
 * Ownership: values are counted references into a struct knowns, and die with it.
 * Threads:   none; one struct knowns for one analysis.
 */
#ifndef LATTICE_KNOWN_H
#define LATTICE_KNOWN_H

#include "base/common.h"

#define KNOWN_CLASSES 30
#define KNOWN_CACHE 1024u

struct known {
	union {
		uint64_t refs;
		struct known *spare; /* while nobody holds it */
	};
	uint64_t serial; /* of no other value, ever */
	uint32_t class;
	uint32_t n; /* == 4 << class; counts past it are zero */
	uint32_t at[];
};

struct known_joined {
	uint64_t a, b, serial; /* of the result */
	struct known *result;  /* not held: good as long as it has that serial */
};

struct knowns {
	struct known *spare[KNOWN_CLASSES];
	struct known *never;
	uint64_t serial; /* the last one given */
	struct known_joined joined[KNOWN_CACHE];
	VEC(void *) blocks;
};

void knowns_init(struct knowns *p);
void knowns_release(struct knowns *p);

/* *into := from, which may be NULL. */
void known_set_slow(struct knowns *p, struct known **into, struct known *from);
static inline void known_set(struct knowns *p, struct known **into, struct known *from)
{
	if (*into != from)
		known_set_slow(p, into, from);
}

/* *into := all that either knows. */
void known_join_slow(struct knowns *p, struct known **into, struct known *from);
static inline void known_join(struct knowns *p, struct known **into, struct known *from)
{
	if (from && *into != from)
		known_join_slow(p, into, from);
}

/* *into also knows `count' points of the lane. */
void known_raise(struct knowns *p, struct known **into, uint32_t lane, uint32_t count);

static inline uint32_t known_at(const struct known *k, uint32_t lane)
{
	return k && lane < k->n ? k->at[lane] : 0;
}

#endif /* LATTICE_KNOWN_H */
