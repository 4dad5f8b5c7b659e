/*
 * Runs for violated properties.
 *
 * A lattice keeps two levels, so what its engine finds is a cut (finding.h).  A second reading of
 * the trace builds the lattice again, only of the points inside the cut and with all its levels:
 * a run of points that leads to the violation.  A third reading puts all events in order along it
 * (lattice/causes.h).  Both readings serve all findings at once; who reads is the caller.
 *
 *	p = lattice_proofs_new(opt, findings);
 *	while (lattice_proofs_wanted(p)) {
 *		lattice_proofs_begin(p, watch);
 *		lattice_proofs_take(p, batch, items);	for every batch up to lattice_proofs_upto
 *		lattice_proofs_end(p);
 *	}
 *
 * Ownership: options and findings are borrowed; the findings must not move meanwhile.
 */
#ifndef PREDICT_LATTICE_PROOFS_H
#define PREDICT_LATTICE_PROOFS_H

#include "base/common.h"

struct engine_options;
struct findings;
struct step_batch;
struct watch;
struct watch_items;

struct lattice_proofs;

/* Of the findings about properties that claim nothing yet. */
struct lattice_proofs *lattice_proofs_new(const struct engine_options *opt, struct findings *f);
void lattice_proofs_free(struct lattice_proofs *p);

/* False: no reading is wanted (any more), or opt->stop was set. */
bool lattice_proofs_wanted(const struct lattice_proofs *p);
/* A reading begins, with what the spec watches in it. */
void lattice_proofs_begin(struct lattice_proofs *p, const struct watch *watch);
/* It may end behind this position. */
uint64_t lattice_proofs_upto(const struct lattice_proofs *p);
void lattice_proofs_take(struct lattice_proofs *p, const struct step_batch *b,
			 const struct watch_items *items);
/* The reading is over.  After the last one findings claim their schedules; those without say
 * why. */
void lattice_proofs_end(struct lattice_proofs *p);

#endif /* PREDICT_LATTICE_PROOFS_H */
