/*
 * Which pieces of ranges are one call?  The recorder cuts what a call reads, writes or frees: where
 * its buffer is full, and where two threads are named that share a slot (doc/TRACE_FORMAT.md); of a
 * large copy it reads a part, writes it, and so on.  The reader cuts records, where others come between
 * their words (EVENT_PART).  Where nothing of that is so, two pieces are two calls, even if the second
 * begins where the first ends.
 */
#ifndef REPLAY_PIECES_H
#define REPLAY_PIECES_H

#include "base/common.h"
#include "trace/event.h"
#include "trace/format.h"

/* The last piece of a kind. */
struct pieces_run {
	uint32_t head, site;
	uint64_t from, end;	      /* its bytes */
	uint64_t len;		      /* of the piece */
	uint64_t bytes;		      /* of the call so far */
	uint32_t peers[FORMAT_PEERS]; /* that it names */
};

/* Of one thread; zeroed at first. */
struct pieces {
	struct pieces_run runs[3]; /* reads, writes, frees */
	unsigned last;		   /* which of them came last, + 1 */
	uint64_t tseq;		   /* number of the event after it */
};

/* The first piece of the call that e, a ranged access or a free, is of; `item' if that is itself. */
uint32_t pieces_head(struct pieces *p, const struct event *e, uint32_t item);

#endif /* REPLAY_PIECES_H */
