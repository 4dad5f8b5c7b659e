/*
 * A recording, perhaps a growing one, as seen from outside: how much there is, and how to cut it
 * into windows that fit in memory.
 *
 *	cuts    0----1----2----3----4----5----6----7----8 ...
 *	        |---- window ----|
 *	                |---- window ----|              overlap: half
 *	                         |---- window ----| ...
 *
 * Where windows lie follows from the cuts alone, which a recording never loses: who looks while it
 * grows and who looks afterwards use the same ones.  Events farther apart than half a window may
 * never be seen together.
 *
 * Ownership: the caller owns the struct.
 */
#ifndef RECORDING_WINDOWS_H
#define RECORDING_WINDOWS_H

#include "recording/blocks.h"
#include "recording/control.h"

struct windows {
	struct blocks blocks;
	struct control control;
	struct texts notes;
	uint64_t bytes;	 /* of records, those of chunks that are being written too */
	uint64_t events; /* about so many */
	/* Events of all threads up to cut k, [0] is 0; words of ranges count one by one, as they do
	 * in memory. */
	VEC(uint64_t) upto;
	uint64_t all;	    /* and up to the end, no less than that */
	VEC(uint64_t) ends; /* private: by index in blocks.threads */
};

/* False: there is no recording at path, or not yet. */
bool windows_open(struct windows *w, const char *path);
void windows_close(struct windows *w);

/* The last cut, 0 none. */
uint64_t windows_last(const struct windows *w);
/* The cut at which a window that begins at `from' ends, if it is to hold `size' events or little
 * more; 0: the recording does not reach that far. */
uint64_t windows_end(const struct windows *w, uint64_t from, uint64_t size);
/* Events that a model of it may be asked to hold, with what the reader adds at its ends.  to 0: of
 * all from there on. */
uint32_t windows_room(const struct windows *w, uint64_t from, uint64_t to);
/* Where the window after that one begins: in its middle. */
uint64_t windows_next(const struct windows *w, uint64_t from, uint64_t to);

#endif /* RECORDING_WINDOWS_H */
