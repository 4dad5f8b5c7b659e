/*
 * Recordings that grow: trace_options.follow.
 *
 *	trace_open			as soon as the file is there
 *	trace_next  ST_OK ...		what is there, in one consistent order (merge/merge_follow.c)
 *	            ST_AGAIN		no more for now; the next call looks at the file again
 *	            ...
 *	            ST_END		the run has ended
 *
 * After ST_AGAIN the caller should wait a while, say a tenth of a second, before the next call: an
 * event is yielded at the second look that finds it.  If a thread reads something and then does
 * nothing that is recorded, writes that overwrite what it read are held back, and nothing else.
 *
 * The run has ended when the recording says so.  A program that was killed, or an observer that lost
 * its connection, cannot say it; then the caller, who knows, calls trace_follow_end.
 *
 * The events are those of a reading afterwards, in each thread's order, with each read between the
 * write it saw and the next one.  Events that this does not order may come in another order than in
 * a reading afterwards, so positions differ.  Doubtful reads and notes about damage come at the end.
 *
 * Errors of trace_next: ST_BAD_INPUT, what comes next was dropped (--keep); ST_LIMIT, too much waits
 * for one thread.  An analysis of the file as it is will still do.
 *
 * Memory is bounded by what lies between two looks and by what waits, not by the length of the run.
 * The time a look takes grows with the number of chunks in the file.
 */
#ifndef MERGE_FOLLOW_H
#define MERGE_FOLLOW_H

#include "base/common.h"

struct blocks;
struct control;
struct merge;
struct objects;

struct follow;
/* What a look renews; borrowed. */
struct follow_parts {
	struct blocks *blocks;
	struct control *control;
	struct objects *objects;
	struct merge *merge;
	struct texts *notes;
};

/* Before the first event is read. */
struct follow *follow_new(const char *path, const struct follow_parts *parts);
void follow_free(struct follow *f);
/* All that is there has been yielded: the next call of follow_look looks at the file. */
void follow_wait(struct follow *f);
/* The next look is the last. */
void follow_end(struct follow *f);
/* ST_OK, or the file is not there any more. */
enum status follow_look(struct follow *f, struct diag *d) ST_CHECKED;

#endif /* MERGE_FOLLOW_H */
