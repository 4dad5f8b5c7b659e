/*
 * A computation as a lattice takes it: points, one for each event that counts, each with the
 * points that must come before it, and atomic sets that must not interleave.
 *
 * Lanes.   A lane is a sequence of points in fixed order (a chain of threads, order/chains.h).
 *          A cut counts points by lane.
 * Needs.   (lane, count): the first `count' points of that lane come before.  What the point
 *          before it in its own lane needs already need not be said again.
 * Sets.    Points of one resource (a lock, a cell of memory) that belong together: a write and
 *          its readers, an acquire and its release.  A set is started by its first point, which
 *          all others need.  It may be started only where no other set of the resource is started
 *          and not complete; two shared ones (read locks) may overlap.  It is complete where all its
 *          members are in, and closed: no more members will come.  A set that is never closed is
 *          never complete.
 *
 * Points come lane by lane in order, and across lanes in observed order; a set comes before the
 * point that starts it.
 */
#ifndef LATTICE_POINT_H
#define LATTICE_POINT_H

#include "base/common.h"

struct watch_item;
struct watch_write;

struct point_need {
	uint32_t lane, count;
};

struct point {
	uint64_t pos; /* of the event in the trace */
	uint32_t lane;
	uint32_t nneeds, nstarts, njoins;
	const struct point_need *needs;
	const uint32_t *starts; /* sets */
	const uint32_t *joins;	/* sets that it is a further member of */
	/* What it is to the monitors; NULL: nothing, it is no step. */
	const struct watch_item *item;
	const struct watch_write *writes; /* the item's own: item->writes counts from here */
};

#define POINT_SHARED 1u /* set: may overlap with other shared ones */
/* Set: only its last member, or nothing at all, closes it, so while it is open the lane that
 * started it is not past it (a lock).  Else members may come from any lane until it is closed. */
#define POINT_OWN 2u

/* Where points go: a lattice, an exporter, a test. */
struct point_sink {
	void *arg;
	/* Set number `set', counted from 0 by the caller. */
	void (*set)(void *arg, uint32_t set, uint32_t resource, unsigned flags);
	void (*point)(void *arg, const struct point *m);
	void (*close)(void *arg, uint32_t set);
	/* The next two may be NULL.  The lane's next point will need one that is not known yet (it waits for a join, a barrier,
	 * a signal); `waits' false: no longer so.  A hint for online use. */
	void (*wait)(void *arg, uint32_t lane, bool waits);
	/* No more points in this lane, for now: lanes of ended threads may be taken up again. */
	void (*end)(void *arg, uint32_t lane);
};

#endif /* LATTICE_POINT_H */
