/*
 * Parts of the log: chunks in their slots (log_chunk.c), the control stream, its cuts and the table of
 * threads (log_control.c), a thread's records (log.c).
 */
#ifndef CAPTURE_LOG_PRIV_H
#define CAPTURE_LOG_PRIV_H

#include "capture/log.h"

struct log_state {
	bool on;       /* atomic: threads look at it on their slow paths */
	bool stopping; /* atomic: no limit is set any more; `on' goes when all are cleared */
	bool full;
	bool drops;	/* reads may be dropped: runs are closed from time to time */
	bool keep;	/* old chunks go */
	uint32_t chunk; /* bytes of a chunk; 0: as many as there is room for */
};
extern struct log_state log_state;

/* The record that begins at the cursor, with a payload up to `end', is there: the head comes last. */
static inline void log_record_end(struct thread *t, unsigned kind, unsigned aux, uint8_t *end)
{
	log_commit(t->cursor, format_kind_head(kind) | aux << FORMAT_AUX_SHIFT |
				      (uint32_t)(end - t->cursor - 4) << FORMAT_LEN_SHIFT);
	t->cursor = end;
}

/* ---- log_chunk.c ---- */

/*
 * While a run of dropped reads is open, the reads it stands for are in no record: if the program is
 * killed, or the file is read meanwhile, nothing after the first read of the run can be relied on.
 * A thread that never synchronises would leave nothing but such reads.  So runs are closed after
 * SETTLE_BYTES of records, later if there are many: each takes a record.  The reads that they
 * began with still stand for what comes.
 */
#define SETTLE_BYTES 2048u
#define SETTLE_COST 256u /* bytes of records for each run that is closed */

#define STACK_ROOM 2048u
#define TRAILING_ROOM 16384u

static inline uint8_t *chunk_end(const struct thread *t)
{
	return (uint8_t *)t->chunk + file_slot_bytes(t->size);
}

/* How far the slot may be filled. */
static inline uint8_t *chunk_room(const struct thread *t)
{
	return chunk_end(t) - STACK_ROOM - (t->size == FILE_SIZES - 1 ? TRAILING_ROOM : 0);
}

/* How far the chunk may go. */
uint8_t *chunk_limit(const struct thread *t);
/*
 * Sets the limit, unless recording stops: pairs with log_stop, which sets `stopping' before it clears
 * all limits.  A signal handler that ran inside a hook clears the limit too (hook_enter_slow), perhaps
 * just before it is set here; the next record must still note that (NESTED).
 */
void chunk_limit_set(struct thread *t);
/* A new chunk in the thread's slot. */
void chunk_begin(struct thread *t);
/* Is the cursor in the slot, and the slot as chunk_begin left it?  Asserts it. */
bool chunk_is_sound(const struct thread *t);
/* Copies the chunk to the end of the file. */
bool chunk_close(struct thread *t, uint32_t flags);

/* ---- log_control.c ---- */

/* False: there is no room. */
bool log_control_start(const struct log_options *opt);
/* Nothing more is added to the control stream. */
void log_control_end(void);
/* The calling hook, which may hold the lock of the control stream, will not go on. */
void log_control_leave(void);
/* One more thread has an open log. */
void log_table_add(struct thread *t);
/* It has closed a chunk of so many bytes, its last one or not: from time to time that makes a cut. */
void log_account(const struct thread *t, uint64_t bytes, bool ended);
/* All threads shall find at their next record that recording is off. */
void log_table_stop(void);

#endif /* CAPTURE_LOG_PRIV_H */
