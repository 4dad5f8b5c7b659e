/*
 * Which pairs of accesses are worth a search for a race.
 *
 * Accesses of a cell fall into classes: same chain, same place, reading or writing, atomic or
 * not, same locks held.  A pair of classes is out if the chains are one, neither writes, both
 * are atomic or a lock excludes them; so is a pair of accesses of which one must run before
 * the other.  What must run before an access the caller says, engines differ there.
 *
 * A walk over a cell goes through its accesses in trace order.  Per chain the classes met so far
 * lie in order of their latest access, so those that can still meet the present access are
 * found without looking at the others:
 *
 *	chain u:   c4 (latest 90)   c1 (latest 71) | c7 (latest 40) ...
 *						    ^ all before 60 run before the present access
 *
 * Signatures: an unordered pair of places, one number.
 *
 * Ownership: candidates borrow the model.  Threads: read-only; a walk belongs to one thread.
 */
#ifndef PREDICT_CANDIDATES_H
#define PREDICT_CANDIDATES_H

#include "order/causal.h"
#include "order/model.h"

/* Chain and held locks of an access; many accesses have one in common. */
struct candidate_owner {
	uint32_t chain, set;
};

/* One cell of one access.  owner and kind together are its class. */
struct candidate_access {
	uint32_t e;
	uint32_t owner;
	uint32_t kind; /* place << 2 | writes << 1 | atomic */
};

/*
 * A cell's guard is a lock that most of its accesses hold, if there is one.  Two accesses that
 * hold it, where every write holds it alone, cannot race: such pairs need not be looked at one by
 * one, though other locks they hold may make thousands of classes of them.
 */
#define NO_GUARD UINT32_MAX

#define KIND_ATOMIC 1u
#define KIND_WRITES 2u

struct candidates {
	const struct model *m;
	struct candidate_access *accesses; /* those of one cell together, in trace order */
	uint64_t *start;		   /* by cell: where its accesses begin; [ncells] the end */
	VEC(uint32_t) cells;
	VEC(uint32_t) guards;	   /* of each of those: its guard, or NO_GUARD */
	VEC(uint32_t) piece_start; /* into cells; a last one ends it */
	VEC(struct candidate_owner) owners;
	/* Their numbers are below it; a signature is two of them, the smaller one in the high half. */
	uint32_t nplaces;
};

struct candidates *candidates_new(const struct model *m);
void candidates_free(struct candidates *c);

/* The cells that matter come in pieces of about the same work, whoever does them. */
static inline size_t candidates_npieces(const struct candidates *c)
{
	return c->piece_start.n - 1;
}

/* The access holds the lock, alone or to read. */
bool candidates_is_guarded(const struct candidates *c, const struct candidate_access *a,
			   uint32_t guard);
/* The two may race as far as chains, operations and locks tell. */
bool candidates_may_race(const struct candidates *c, const struct candidate_access *a,
			 const struct candidate_access *b);

/* Access e and the earlier accesses of a class it may race with: at[live .. n), in trace order,
 * do not have to run before it. */
struct candidate {
	uint32_t cell, e;
	const uint32_t *at;
	uint32_t live, n;
	uint64_t pair; /* of classes, a number of its own within the cell */
	uint64_t signature;
};

struct candidate_visitor {
	/* What must run before e.  False: e can never be next. */
	bool (*before)(void *arg, uint32_t e, struct causal_known *out);
	/* NULL, or called when a cell begins. */
	void (*cell)(void *arg);
	/* NULL, or asked before anything else about two classes: a quick way to say no. */
	bool (*wanted)(void *arg, uint64_t signature);
	/* NULL, or says that nothing more is wanted of two places, now or later.  An access of which
	 * this holds with every place of the cell is passed over. */
	bool (*over)(void *arg, uint64_t signature);
	/* False ends the piece. */
	bool (*meet)(void *arg, const struct candidate *x);
	void *arg;
};

/* A walk over n pieces from the first on, by as many threads as the options say. */
struct walk_work {
	const struct candidates *c;
	unsigned jobs;
	size_t first, n;
	void *workers; /* [jobs], one for each thread: what the visitor is called with */
	size_t size;   /* of one */
	struct candidate_visitor visitor;
	/* Before a piece, counted from the first.  False: it is passed over. */
	bool (*begin)(void *worker, size_t piece);
	/* After it; whole: neither passed over nor ended by the visitor. */
	void (*end)(void *worker, size_t piece, bool whole);
};
void walk_pieces(const struct walk_work *work);

/* The pair is the business of this cell: a pair that shares several is met in each. */
bool candidates_mine(const struct model *m, uint32_t e1, uint32_t e2, uint32_t cell);

#endif /* PREDICT_CANDIDATES_H */
