/*
 * A computation lattice as a picture, for Graphviz: a node for each cut that some run passes, with
 * what the spec's variables hold there, an edge for each event that leads from one to the next.
 *
 *	bold		the recorded run
 *	red		a property is violated there, in all runs that come by; dashed: in some.  Edges:
 *			of runs that are violated at some time
 *	octagon		a dead end: no run goes on from here, and something is left to do
 */
#ifndef EXPORT_DOT_H
#define EXPORT_DOT_H

#include "lattice/causes.h"

struct monitors;
struct trace;

/* More helps nobody. */
#define DOT_NODES 4000u

struct dot_options {
	enum causes_kind kind;
	const struct monitors *monitors; /* NULL: every event is a step, and nothing is watched */
};

/* Reads the trace to its end: ST_END.  ST_LIMIT: more events or cuts than a picture can show.  What is left
 * out otherwise is said in a note: a short text, or "". */
enum status dot_write(struct trace *t, const struct dot_options *opt, struct strbuf *out,
		      struct strbuf *note, struct diag *d) ST_CHECKED;

#endif /* EXPORT_DOT_H */
