/*
 * Locking patterns, told while the program runs (`foresee run -v'): a line on stderr the first
 * time a thread takes a lock, or has to wait for it, while it holds others.
 *
 *	foresee: T2 "worker" locks b (audit.c:31) holding a (audit.c:29)
 *
 * A pattern is where the lock is taken, where the held ones were, and the routine that the thread
 * began with; neither the thread nor, where one line takes several locks, the lock makes a new
 * pattern.
 *
 * Threads: each keeps its own list; the patterns told already are one set for all.
 */
#ifndef CAPTURE_ANNOUNCE_H
#define CAPTURE_ANNOUNCE_H

/* From now on; before anything is recorded. */
void announce_start(void);

#endif /* CAPTURE_ANNOUNCE_H */
