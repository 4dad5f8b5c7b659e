/*
 * Which part of a recording is read: from which cut to which (doc/TRACE_FORMAT.md section 9).
 *
 * A trace begins in the middle of the run because that was asked for (trace_options.from_cut), or
 * because the oldest chunks were dropped (--keep).  What was done before its cut is the past; which
 * events that are is found by merging (merge/merge_past.c).
 *
 * Ownership: the caller owns the struct.
 */
#ifndef MERGE_PORTION_H
#define MERGE_PORTION_H

#include "base/common.h"

struct blocks;
struct blocks_thread;
struct control;

/* Of each thread, as in blocks.threads. */
struct portion_start {
	uint32_t chunk; /* number of the first one to read */
	uint64_t end;	/* last event to use; UINT64_MAX: no limit */
};

struct portion {
	uint64_t cut; /* what was done before it was begun is past; 0: nothing is */
	bool ends;    /* to_cut: it ends before the recording does */
	VEC(struct portion_start) at;
};

/* from_cut and to_cut are those of trace_options. */
void portion_choose(struct portion *s, struct blocks *b, const struct control *c, uint64_t from_cut,
		    uint64_t to_cut);
void portion_release(struct portion *s);

/* The last chunk of the thread whose first event is among the first `count'. */
uint32_t portion_chunk(const struct blocks_thread *t, uint64_t count);

#endif /* MERGE_PORTION_H */
