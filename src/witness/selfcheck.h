/*
 * The self-check: replays a trace on paper and looks for a contradiction,
 * which can only be a fault of the recorder, of the reader, or of the file.
 *
 * What must hold: locks exclude, semaphores stay above zero, barriers wait
 * for all, threads run between their fork and their join, and every read
 * names the latest write to each word and returns its bytes.  Knows the trace
 * only through trace/trace.h.
 *
 * Where the trace admits that it does not know (unseen code ran, accesses left
 * out by request), a value that disagrees is counted as unknown, not as wrong.
 */
#ifndef WITNESS_SELFCHECK_H
#define WITNESS_SELFCHECK_H

#include "base/common.h"

struct trace;

struct selfcheck_result {
	uint64_t events;
	uint64_t reads;	  /* read parts checked, ranges as one */
	uint64_t unknown; /* of these: the value could not be vouched for */
	bool contradiction;
	uint64_t pos;	/* of the first contradiction; 0: the order itself is impossible */
	char what[400]; /* it, in words, with thread and location */
};

/* Reads t to its end or to the first contradiction.  ST_OK either way; errors
 * are those of trace_next. */
enum status selfcheck_run(struct trace *t, struct selfcheck_result *out, struct diag *d) ST_CHECKED;

#endif /* WITNESS_SELFCHECK_H */
