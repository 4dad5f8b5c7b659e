/*
 * The points of a trace, for exports of its lattice: a spec bound to the program, events as steps,
 * steps as points.
 */
#ifndef EXPORT_EXPORT_LATTICE_H
#define EXPORT_EXPORT_LATTICE_H

#include "base/status.h"
#include "lattice/causes.h"
#include "monitor/monitor.h"

struct diag;
struct trace;
struct watch;

struct export_lattice {
	enum causes_kind kind;
	const char *spec_path; /* NULL: every event is a point */
	/* Made by export_lattice_bind. */
	struct spec *spec;
	struct monitors monitors;
	struct watch *watch;
};

/* "mvc" or "weak"; false: neither. */
bool export_lattice_kind(const char *word, enum causes_kind *out);

/* Reads the spec, if there is one, and finds its variables in t. */
enum status export_lattice_bind(struct export_lattice *l, struct trace *t, struct diag *d)
	__attribute__((warn_unused_result));
/* Sends the points of t to the sink, until its end. ST_END, or what the reader said. */
enum status export_lattice_read(struct export_lattice *l, struct trace *t,
				const struct point_sink *sink, struct diag *d)
	__attribute__((warn_unused_result));
void export_lattice_release(struct export_lattice *l);

#endif /* EXPORT_EXPORT_LATTICE_H */
