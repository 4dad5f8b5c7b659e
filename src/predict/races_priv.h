/*
 * The stages of the search for races: sync-preserving ones, a few pairs of each signature for
 * what costs more, and how many signatures there are at all.
 */
#ifndef PREDICT_RACES_PRIV_H
#define PREDICT_RACES_PRIV_H

#include "predict/candidates.h"
#include "predict/engine.h"

/* A race engine at work. */
struct races {
	const struct engine *engine;
	const struct engine_options *opt;
	const struct model *m;
	struct candidates *candidates;
	struct engine_result *out;
};

/* ---- pairs that pieces find, put together as if one was done after the other (found.c) ----
 *
 * One pair is kept for each signature: that of the lowest piece.  A piece may ask whether a
 * signature was found in a lower one already, and leave it then; whether it did so in time or
 * not changes nothing, for its own pair would be thrown away.
 *
 * The limit: a piece may stop when it has found `limit' pairs itself.  If the lower pieces have k
 * signatures, at most k of its pairs are theirs as well, so the first limit - k new ones are
 * among them: the same as without stopping.
 *
 * Threads: each piece is one thread's at a time; the board between them has a lock.
 */

struct found_pair {
	uint32_t e1, e2;
	uint64_t signature;
};

struct found;

/* all: keep every pair, whatever its signature. */
struct found *found_new(size_t npieces, size_t limit, bool all);
void found_free(struct found *f);

/* Found in this piece or a lower one.  With `all', never. */
bool found_has(struct found *f, size_t piece, uint64_t signature);
/* False: the piece has enough. */
bool found_add(struct found *f, size_t piece, const struct found_pair *p);
/* The piece is done.  Once the lowest pieces have enough, the others need not begin. */
void found_done(struct found *f, size_t piece);
bool found_enough(struct found *f, size_t piece);

/* Of all pieces, in order.  True: there were more than the limit. */
bool found_collect(struct found *f);
/* *n of them; after found_collect. */
const struct found_pair *found_pairs(const struct found *f, size_t *n);

/* ---- sync-preserving races (syncp.c) ---- */

/* Searches the candidates and proposes what it finds to `out'.  The caller frees the result: the
 * pairs and signatures that were found. */
struct found *syncp_search(const struct races *s, enum causal_mode mode, struct engine_result *out);

/*
 * ---- for searches that cost too much to be made for every pair (shortlist.c) ----
 *
 * A few pairs of accesses for each signature: those near each other first, and of those the
 * earliest. Pairs of which one must run before the other are left out.  A group whose list is
 * complete has all others that there are, so who refutes those has refuted the signature.
 */

struct shortlist_pair {
	uint64_t group; /* the signature; with all_pairs the pair itself */
	uint32_t e[2];
};

/* All pairs are of one group. */
struct shortlist_group {
	const struct shortlist_pair *at;
	uint32_t n;
	bool complete;
};

static inline uint64_t shortlist_group_of(uint32_t e1, uint32_t e2)
{
	return (uint64_t)e2 << 32 | e1;
}

struct shortlist {
	struct shortlist_pair *pairs; /* by group */
	VEC(uint32_t) start;	      /* of each group; a last one ends it */
	bool is_cut; /* there were more pairs than memory is given to; some groups may be missing */
};

struct shortlist_source {
	const struct races *races;
	const struct causal *c; /* what must run before what */
	/* Groups that are not wanted; called from several threads. */
	bool (*skip)(void *arg, uint64_t group);
	void *arg;
};

/* From n pieces of the candidates. */
void shortlist_make(struct shortlist *l, const struct shortlist_source *s, size_t first, size_t n);
void shortlist_release(struct shortlist *l);
struct shortlist_group shortlist_at(const struct shortlist *l, size_t i);

/* ---- signatures with a pair that no lock and no hard edge keeps apart (census.c) ---- */

/* hard: CAUSAL_HARD.  *complete: false when the run was stopped or there are too many. */
uint64_t census(const struct races *s, const struct causal *hard, bool *complete);

#endif /* PREDICT_RACES_PRIV_H */
