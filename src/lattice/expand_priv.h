/*
 * A level's successors: workers and what they share.
 */
#ifndef LATTICE_EXPAND_PRIV_H
#define LATTICE_EXPAND_PRIV_H

#include "lattice/lattice_priv.h"

#define PIECE 2048	 /* entries of the old level to a piece, about */
#define OPENS (1u << 12) /* cuts whose open sets it remembers */

/* Entries in order, as in struct level. */
struct entries {
	uint64_t *keys, *counts;
	uint32_t *configs;
	size_t n;
};

struct area {
	VEC(uint64_t) keys, counts;
	VEC(uint32_t) configs;
};

struct memo {
	uint64_t number;
	uint32_t from, to;
};

/* What all lanes have open at an entry of the level that is being expanded. */
struct opens {
	uint64_t round;
	size_t entry;
	struct lane_open open;
};

struct worker {
	struct area areas[2];
	struct memo *memo;
	struct opens *opens;
	uint64_t round; /* of expansions; a level may be expanded again, with more points */
	VEC(struct entries) parts;
	VEC(uint32_t) top; /* by active lane: largest count - base that moved on, + 1 */
	uint64_t edges;
	uint32_t wait;
};

struct expand {
	unsigned jobs;
	struct worker *workers;
	/* The level being built. */
	struct lattice *l;
	size_t npieces, first; /* first: of the batch */
	struct level *results;
	/* A cut may have no successor, because of sets or of needs that came after their point.
	 * Else the earliest point that it lacks can always follow. */
	bool track;
	uint8_t *alive; /* by entry: it has a successor */
};

/* The entries of piece i, in one of the worker's areas. */
struct entries expand_piece(struct expand *e, struct worker *w, size_t i);
/* The worker remembers steps of configurations from now on. */
void expand_memo_ready(struct worker *w);

#endif /* LATTICE_EXPAND_PRIV_H */
