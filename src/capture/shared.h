/*
 * Memory that other processes, or other addresses, show as well (MAP_SHARED): what a call writes to a
 * mapped file appears in the mapping, though no instruction stored it there, and a lock in such memory may be
 * taken and given back unseen.
 *
 * Threads: any; inside a hook, or before the first one.
 */
#ifndef CAPTURE_SHARED_H
#define CAPTURE_SHARED_H

#include <sys/types.h>

#include "capture/thread.h"

/* [p, p + n) shows the file fd from offset on, or (-1) is shared with processes to come; it no longer does. */
void shared_add(void *p, size_t n, int fd, off_t offset);
/* The same of memory of System V. */
void shared_attached(void *p, int id);
void shared_remove(const void *p, size_t n);
void shared_detached(const void *p);
/* What lay at p is now in the n bytes at `to', or if it had 0 there too.  False: it is none of these. */
bool shared_move(const void *p, size_t had, void *to, size_t n);

/* [p, p + n) may change at any time without a record, for the analysis (FORMAT_K_C_UNSTEADY). */
void shared_unsteady(const void *p, size_t n);

/* May another process, or this one by another address, use the object at p? */
extern uint32_t shared_used; /* atomic; 0: there is no such memory */
bool shared_is_elsewhere(const void *p);

/* SHARED_HERE: at the file's position, or at its end if it is opened so. */
#define SHARED_HERE ((off_t)-1)

/*
 * Around a call that writes n bytes to a file, as a hook each: a write of unknown bytes to where
 * the mappings show them.  The one before the call is there for the order, the one after it because
 * the bytes have changed.  end gets what begin returned.
 */
off_t shared_write_begin(int fd, off_t at, size_t n);
void shared_write_end(int fd, off_t at, ssize_t n);

#endif /* CAPTURE_SHARED_H */
