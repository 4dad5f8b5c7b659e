/*
 * A whole trace as text, for `foresee print --std' and `foresee export --to std'.
 */
#ifndef EXPORT_AS_STD_H
#define EXPORT_AS_STD_H

#include "base/common.h"

struct trace;

/* Writes t, just opened from path, to stdout: plain STD where that says everything, else #fmt 1.
 * ST_END when all is written. */
enum status as_std(struct trace *t, const char *path, bool lenient, struct diag *d) ST_CHECKED;

#endif /* EXPORT_AS_STD_H */
