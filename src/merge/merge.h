/*
 * One order out of many streams: the events of all threads of a recording,
 * such that every event comes after what it names, and every replacement of a
 * version after all reads of it (doc/TRACE_FORMAT.md section 1).
 *
 * What is past (merge/portion.h) is read but not yielded; instead comes the prologue
 * (merge/prologue.h).
 *
 * Ownership: the merger borrows blocks, control, portion, stacks and notes.
 * Threads:   belongs to one thread.
 */
#ifndef MERGE_MERGE_H
#define MERGE_MERGE_H

#include "trace/event.h"

struct blocks;
struct control;
struct inputs;
struct merge;
struct portion;
struct stacks;

struct merge *merge_new(struct blocks *b, const struct control *c, const struct portion *portion,
			struct stacks *s, struct texts *notes);
void merge_free(struct merge *m);

/* To be called before the first merge_next: what threads were given goes there. */
void merge_keep_inputs(struct merge *m, struct inputs *to);

/*
 * As trace_next.  ST_BAD_INPUT: a recording that is whole contradicts itself.
 * ST_LIMIT: it has too few cuts to be read in bounded memory.  In a damaged
 * one a thread that names lost events ends before them, with a note.
 */
enum status merge_next(struct merge *m, struct event *e, struct diag *d) ST_CHECKED;

/*
 * A recording that grows (merge/follow.h).  To be called before the first merge_next: from then on
 * it says ST_AGAIN when all that is there has been yielded.
 */
void merge_follow(struct merge *m);
/*
 * Blocks and control, which have been read anew, hold more.  last: they hold all there will be; then
 * the merger goes on as if it had seen it all at once.  Between two calls some time should pass: what
 * a thread was about to record at the first must be there at the second, or it counts as unknown.
 */
void merge_follow_look(struct merge *m, bool last);

/* Some thread's records were lost, cut or dropped; final after ST_END. */
bool merge_is_damaged(const struct merge *m);
/* Bytes of records loaded so far. */
uint64_t merge_bytes(const struct merge *m);
/* The thread's last NAME so far, or NULL. */
const char *merge_label(const struct merge *m, uint32_t tid);

#endif /* MERGE_MERGE_H */
