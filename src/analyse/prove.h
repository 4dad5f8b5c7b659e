/*
 * Schedules for findings of engines that have none to show.
 *
 * shb is sound but looks at one event after the other: the search of syncp, which covers it, is
 * asked for each pair.  Lattices keep two levels: the way to a violation is looked for again.
 */
#ifndef ANALYSE_PROVE_H
#define ANALYSE_PROVE_H

#include "base/common.h"

struct analyse;
struct findings;
struct model;
struct trace_options;

/* m: of all that is read, or NULL: then one is built from the file, as far as it is needed. */
enum status prove_findings(const struct analyse *a, const char *path,
			   const struct trace_options *how, const struct model *m,
			   struct findings *f, struct diag *d) ST_CHECKED;

#endif /* ANALYSE_PROVE_H */
