/*
 * STD and #fmt 1 text as a trace (doc/STD.md).  Opened through
 * std_source_open of trace/source.h; this entry reads text from memory, for
 * tests and the fuzzer.
 *
 * Errors read `file:line:column: message'.
 */
#ifndef TEXT_STD_READ_H
#define TEXT_STD_READ_H

#include "base/common.h"

struct trace_options;
struct trace_source;

/* The bytes are borrowed until the source is closed.  opt may be NULL. */
enum status std_source_open_memory(const char *name, const void *bytes, size_t n,
				   const struct trace_options *opt, struct trace_source **out,
				   struct diag *d) ST_CHECKED;

#endif /* TEXT_STD_READ_H */
