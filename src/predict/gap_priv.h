/*
 * The parts of gap.h: gap.c finds the cut, gap_run.c walks along the two runs behind it.
 */
#ifndef PREDICT_GAP_PRIV_H
#define PREDICT_GAP_PRIV_H

#include "base/map.h"
#include "order/causal.h"
#include "order/model.h"
#include "predict/gap.h"

#define GAP_RUN 1000u  /* events of a run, reads that it depends on */
#define GAP_SLICE 64u  /* writes that a value is made of */
#define GAP_LOOK 1000u /* accesses of a cell that are looked at for the write before a read */

struct gap_run {
	uint32_t chain, from, to; /* numbers in the chain */
};

struct gap_lock {
	uint32_t lock, chain;
	bool shared;
};

struct gap {
	const struct model *m;
	const struct causal *c;
	bool is_strict;
	bool tests; /* reads of the runs that are only compared go by the outcome */
	struct gap_run u, t;
	uint32_t u_last, t_last; /* events that may see anything; 0 none */
	bool never;		 /* something is needed that nothing is known of */
	uint32_t *cut;
	VEC(uint32_t) needed, slice;
	struct map known;	    /* of needed */
	VEC(struct gap_lock) locks; /* that the runs take */
	/* The walk. */
	uint32_t *at;	 /* how far every chain is */
	struct map last; /* cell, to its last write in the runs */
	struct map same; /* event of the runs, to 1: it reads, or writes, what it did */
	struct map
		saw; /* read of the runs that is compared, to 1 + the write that it sees, which is as recorded */
	struct map sliced; /* write of the cut, to 1 it stores what it did, 2 it may not */
	uint32_t looks;
};

/* A read after which its thread does nothing: it may see anything. */
bool gap_is_last(const struct gap *g, uint32_t e);
/* It must see what it saw. */
bool gap_binds(const struct gap *g, uint32_t e);

/* Event `at' of the runs decides by the outcome of comparing what `read', of its run, has read. */
bool gap_asks(const struct gap *g, uint32_t read, uint32_t at);

/* The two runs can be walked behind the cut. */
bool gap_runs(struct gap *g);

#endif /* PREDICT_GAP_PRIV_H */
