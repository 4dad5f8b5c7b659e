/*
 * From steps to points: what must come before what.
 *
 *	MVC	algorithm A (doc/SEMANTICS.md 3.1): any two accesses of a cell keep their order if
 *		one of them writes, locks keep theirs.  Points are the relevant events: writes of
 *		the spec's variables, events that it names, all accesses of what it declares relevant.
 *	WEAK	weak happens-before (doc/SEMANTICS.md 3.2): a read stays after its write; a write
 *		and its readers, an acquire and its release are atomic sets.  Points are the relevant
 *		events, all accesses of the spec's variables, and all acquires and releases.
 *
 * All other accesses carry causality by algorithm A in both, which leaves out some runs that weak
 * happens-before would allow, and never makes one up.
 *
 * Without a spec every event is a point.
 *
 * A thread has no more points from an event on that no reordering can contain (STEP_STOP), and what
 * needs that event is no point either.
 */
#ifndef LATTICE_CAUSES_H
#define LATTICE_CAUSES_H

#include "lattice/point.h"
#include "order/step.h"

struct schedule;
struct spec;
struct watch_items;

enum causes_kind { CAUSES_MVC, CAUSES_WEAK };

struct causes_options {
	enum causes_kind kind;
	const struct spec *spec; /* NULL: every event is a point */
	/* Only so many points of each lane are sent; NULL: all. */
	const uint32_t *box;
	uint32_t nbox;
	/* Instead of points: the order of all events (causes_order). */
	const uint64_t *path;
	size_t npath;
};

struct causes;
/* sink may be NULL with a path. */
struct causes *causes_new(const struct causes_options *opt, const struct point_sink *sink);
void causes_free(struct causes *c);
uint64_t causes_points(const struct causes *c); /* sent so far */
/* items: of the events of this batch; NULL without a spec. */
void causes_take(struct causes *c, const struct step_batch *b, const struct watch_items *items);
/* The trace has ended: closes sets and lanes. */
void causes_finish(struct causes *c);

/* With a path, the positions of points in the order of some run: all events of the trace that
 * such a run has, in an order that the recording proves possible and that has the points in the
 * order of the path and ends with its last one.  After causes_finish. */
void causes_order(const struct causes *c, struct schedule *out);

#endif /* LATTICE_CAUSES_H */
