/*
 * The control stream of a recording: the program, cuts, and how the run ended (doc/TRACE_FORMAT.md
 * sections 4 and 5).  Read whole when the trace is opened.
 *
 * Ownership: the caller owns the struct; strings live as long as it.
 */
#ifndef RECORDING_CONTROL_H
#define RECORDING_CONTROL_H

#include "names/program.h"

struct blocks;

struct control_pair {
	uint32_t tid;
	uint64_t tseq;
};

struct control {
	struct program program;
	VEC(struct control_pair) pairs; /* of all cuts, one after the other: control_cut_end */
	VEC(uint64_t) cuts;		/* where the pairs of each begin */
	uint64_t cut_number;		/* of the last cut */
	bool ended;			/* C_END was there */
	bool trouble;			/* the writer lost something, or the stream is damaged */
	int exit_status;
	uint64_t bytes;
};

void control_read(struct control *c, struct blocks *b, struct texts *notes);
/* Again, from a recording that has grown.  Strings that were given out stay good. */
void control_read_more(struct control *c, struct blocks *b, struct texts *notes);
void control_release(struct control *c);

/* Cut k, from 1, is pairs[control_cut_end(c, k - 1)] up to pairs[control_cut_end(c, k)]. */
static inline uint64_t control_cut_end(const struct control *c, uint64_t k)
{
	return k < c->cuts.n ? c->cuts.at[k] : c->pairs.n;
}

#endif /* RECORDING_CONTROL_H */
