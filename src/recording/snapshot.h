/*
 * A copy of what a growing recording holds between two cuts, as a recording of its own in memory:
 * an analysis reads twice and must see the same both times, while the program writes on and, with
 * --keep, overwrites what is old.
 */
#ifndef RECORDING_SNAPSHOT_H
#define RECORDING_SNAPSHOT_H

#include "base/common.h"

struct windows;

struct snapshot {
	int fd;
	char path[32]; /* to open it by, in this process */
};

/* Copies the control stream and all chunks that a reading from one cut to the other (0: to the end)
 * needs.  False, errno set: it cannot be written. */
bool snapshot_make(struct snapshot *s, struct windows *w, uint64_t from_cut, uint64_t to_cut);
void snapshot_close(struct snapshot *s);

#endif /* RECORDING_SNAPSHOT_H */
