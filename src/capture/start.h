/*
 * The start of a recording: the part that differs between the runtime that records all accesses
 * (start_full.c) and the lock recorder (locks_start.c).
 */
#ifndef CAPTURE_START_H
#define CAPTURE_START_H

#include <stdbool.h>

struct log_options;

/* The trace to write, and how; NULL: record nothing.  Asked once, before anything else. */
const char *start_asked(struct log_options *opt);

/* The name of the trace for the program that this one is about to become by exec.  A file of
 * that name is removed. */
const char *start_next(void);

/* The trace is there, nothing is recorded yet.  False: it cannot begin, and the trace says why. */
bool start_prepare(void);

#endif /* CAPTURE_START_H */
