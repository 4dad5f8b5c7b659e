/*
 * Recordings that grow: trace_options.follow.
 *
 *	trace_open			as soon as the file is there
 *	trace_next  ST_OK ...		what is there, in one consistent order (merge/merge_follow.c)
 *	            ST_AGAIN		no more for now; the next call looks at the file again
 *	            ...
 *	            ST_END		the run has ended
 *
 * Between an ST_AGAIN and the next call some time should pass, a tenth of a second say: an event is
 * yielded at the second look that finds it.  A thread that reads and then does nothing that is
 * recorded keeps those waiting who overwrite what it has read, and nobody else.
 *
 * The run has ended when the recording says so; when it cannot say it any more, for the program was
 * killed or the observer has lost it, whoever knows calls trace_follow_end.
 *
 * What is yielded is the recorded run: each thread's events as in a reading afterwards, each read
 * after its write and before the next one.  Where threads are not ordered by these, the order may be
 * another one, and so are positions.  Doubtful reads, and the notes about damage, come with the end.
 *
 * Errors of trace_next: ST_BAD_INPUT, what comes next was dropped (--keep); ST_LIMIT, too much waits
 * for one thread.  An analysis of the file as it is will still do.
 *
 * Memory follows what lies between two looks and what waits, not the run.  A look costs time by the
 * number of chunks in the file.
 */
#ifndef MERGE_FOLLOW_H
#define MERGE_FOLLOW_H

#include <stdbool.h>

#include "base/status.h"

struct blocks;
struct control;
struct diag;
struct merge;
struct notes;
struct objects;

struct follow;
/* What a look renews; borrowed. */
struct follow_parts {
	struct blocks *blocks;
	struct control *control;
	struct objects *objects;
	struct merge *merge;
	struct notes *notes;
};

/* Before the first event is read. */
struct follow *follow_new(const char *path, const struct follow_parts *parts);
void follow_free(struct follow *f);
/* All that is there has been yielded: the next follow_look is one. */
void follow_wait(struct follow *f);
/* The next look is the last. */
void follow_end(struct follow *f);
/* ST_OK, or the file is not there any more. */
enum status follow_look(struct follow *f, struct diag *d) __attribute__((warn_unused_result));

#endif /* MERGE_FOLLOW_H */
