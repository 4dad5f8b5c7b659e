/*
 * A computation lattice as a Promela model for SPIN: one process that counts points by lane.  Its
 * states are the cuts and its transitions the edges, so that SPIN's search states anew what
 * lattice/lattice.h counts.
 *
 *	spin -a MODEL; cc -DSAFETY -DNOREDUCE -o pan pan.c; ./pan -E
 *
 * "states, stored" are the cuts, "transitions" the edges and one.  With spin -DPROPERTY_name the
 * formula of that property runs along, and its assertion fails where a run violates it; states
 * are then cuts with what runs have there.
 *
 * Ownership: copies what it is given; spec, monitors and initial are borrowed.
 */
#ifndef EXPORT_PROMELA_LATTICE_H
#define EXPORT_PROMELA_LATTICE_H

#include "lattice/causes.h"

struct monitors;
struct trace;

struct promela_lattice_options {
	enum causes_kind kind;
	const struct monitors *monitors; /* NULL: every event is a point */
	/* What an event is, for comments, or NULL; the string is good until the next call. */
	const char *(*describe)(void *arg, uint64_t pos);
	void *arg;
};

/* Reads the trace to its end: ST_END.  ST_LIMIT: too many points or lanes. */
enum status promela_lattice_write(struct trace *t, const struct promela_lattice_options *opt,
				  struct strbuf *out, struct diag *d) ST_CHECKED;

#endif /* EXPORT_PROMELA_LATTICE_H */
