/*
 * Ranged accesses: anything that is not one aligned-or-not scalar of 1, 2, 4
 * or 8 bytes.
 *
 * A range is handled word by word, each with its tag: racing threads may get
 * between two words of a range, never inside a word.  All functions run
 * between hook_enter and hook_leave.  Pieces of at most THREAD_PIECE bytes
 * become one record each.
 */
#ifndef CAPTURE_RANGE_H
#define CAPTURE_RANGE_H

#include "capture/log.h"

/* Reads exactly: copies to `into' (may be NULL) what it logs.  free_read: not
 * binding.  Returns the number of the last event. */
uint64_t range_read(struct thread *t, const void *p, void *into, size_t n, uint32_t site,
		    bool free_read);
/* Copies private memory to shared memory. */
void range_write(struct thread *t, void *p, const void *from, size_t n, uint32_t site,
		 const uint64_t *keepers, uint64_t mask);
/* The same, fed by the free reads of these numbers and by all free range_read that follow one of them
 * without a gap. */
void range_write_whole(struct thread *t, void *p, const void *from, size_t n, uint32_t site,
		       const uint64_t *feeds, unsigned nfeeds);
/* Code that is not recorded (the kernel, libc) has just written [p, p + n) for this thread: logs
 * the bytes that are there now as its write. */
void range_wrote(struct thread *t, void *p, size_t n, uint32_t site);
/* Unseen code writes [p, p + n) about now: logs a write of bytes that are not in the record; memory
 * is not looked at.  begun: a call that is to follow does, until the thread's next record. */
void range_hidden(struct thread *t, void *p, size_t n, uint32_t site, bool begun);
/* Copies shared memory to shared memory; move: they may overlap. */
void range_copy(struct thread *t, void *to, const void *from, size_t n, uint32_t site);
void range_move(struct thread *t, void *to, const void *from, size_t n, uint32_t site);
void range_fill(struct thread *t, void *to, int byte, size_t n, uint32_t site,
		const uint64_t *keepers, uint64_t mask);
/* A binding read of a string, up to and including its NUL or max bytes, exactly;
 * returns the length without NUL (max when there is none). */
size_t range_string(struct thread *t, const char *s, size_t max, uint32_t site);

/* The tags of big blocks are given back to the kernel instead of written, so they cannot order
 * anything; the object at this address orders all of them. */
extern uint64_t range_chain;

/* A block of memory begins to exist: kind and flags FORMAT_ALLOC_*. */
void range_alloc(struct thread *t, void *p, size_t n, unsigned aux, uint32_t site);
/* A local variable comes to life on this thread's stack; or one of a library that is loaded where
 * another lay. */
void range_frame(struct thread *t, void *p, size_t n, uint32_t site);
/* It is about to end: a write to all of it. */
void range_free(struct thread *t, void *p, size_t n, unsigned aux, uint32_t site);

#endif /* CAPTURE_RANGE_H */
