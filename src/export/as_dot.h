/* A trace as a picture of its lattice, to standard output. */
#ifndef EXPORT_AS_DOT_H
#define EXPORT_AS_DOT_H

#include <stdbool.h>

#include "base/status.h"
#include "lattice/causes.h"

struct diag;
struct trace;

/* path: of a spec; NULL: every event is a step.  ST_END when all is written. */
enum status as_dot(struct trace *t, const char *path, enum causes_kind kind, bool quiet,
		   struct diag *d) __attribute__((warn_unused_result));

#endif /* EXPORT_AS_DOT_H */
