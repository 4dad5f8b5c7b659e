#ifndef CAPTURE_LOCKS_EXEC_H
#define CAPTURE_LOCKS_EXEC_H

#include <stddef.h>

/* What the environment had for the recorder, for a program that this one may become: its name (n
 * bytes), the trace, options.  Copied. */
void locks_exec_keep(const char *preload, size_t n, const char *trace, const char *options);

#endif /* CAPTURE_LOCKS_EXEC_H */
