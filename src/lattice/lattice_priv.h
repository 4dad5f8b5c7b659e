/*
 * The parts of a lattice, for the files that build it.
 *
 *	lanes.c		points and sets as they come, until no cut needs them any more
 *	packing.c	cuts as numbers of a few bits for each lane
 *	open.c		which sets are open in a cut
 *	levels.c	a level's arrays; which cuts are kept when not all can be
 *	expand.c	a level's successors: workers and batches
 *	expand_piece.c	a piece of them, in order (the hot part)
 *	lattice.c	when a level can be built; violations
 *	answers.c	how large it is, what was found; a run to it, a walk over all
 */
#ifndef LATTICE_LATTICE_PRIV_H
#define LATTICE_LATTICE_PRIV_H

#include "lattice/lattice.h"
#include "monitor/config.h"

/* --- what was received (lanes.c) --- */

struct lane_point {
	uint64_t pos, number;	  /* number: in order of arrival */
	struct point_need *needs; /* one block: needs, sets, item, writes; NULL: none of them */
	uint32_t *sets;		  /* starts, then joins; indices in sets */
	struct watch_item *item;
	struct watch_write *writes;
	uint32_t nneeds, nstarts, njoins;
};

struct lane {
	VEC(struct lane_point) points; /* number `first' is at[head] */
	size_t head;
	uint32_t first, known; /* counts of points */
	bool ended, waits;
};

struct lane_set {
	uint64_t number; /* the sender's */
	uint32_t resource;
	unsigned flags;
	bool live, started, closed;
	uint32_t lane, start;		/* started in a cut with more than `start' points of lane */
	VEC(struct point_need) members; /* by lane: with so many points of it, all are in */
};

#define LANE_BIT_ODD 63u /* of resources that got no bit of their own */

/* Sets of a resource that a lane started, in order, from head on: most leave at the front. */
struct lane_sets {
	uint32_t lane;
	size_t head;
	VEC(uint32_t) sets;
};

struct lane_resource {
	uint64_t number;
	bool live;
	uint32_t nsets; /* that are live */
	unsigned bit;	/* bit in the masks of open sets */
	VEC(struct lane_sets) by;
};

/* By bit: sets that a lane has open after so many of its points.  certain: while the lane stands
 * there they are.  maybe: it depends on other lanes. */
struct lane_open {
	uint64_t certain, maybe;
};

struct lanes {
	VEC(struct lane) at;
	VEC(struct lane_set) sets;
	VEC(struct lane_resource) resources;
	VEC(uint32_t) free_sets, free_resources;
	struct map set_index, resource_index; /* number, to index */
	uint64_t free_bits;
	uint64_t arrived;    /* points */
	VEC(uint32_t) order; /* their lanes; number order_first is at[order_head] */
	size_t order_head;
	uint64_t order_first;
	uint64_t news;		  /* grows with each thing received */
	bool any_sets, odd_needs; /* odd: of points that had not come yet */
	uint32_t odd_sets;	  /* grows when what packing knows of open sets is no longer so */
};

void lanes_release(struct lanes *ls);
/* Aborts where queues, sets and resources do not fit together. */
void lanes_check(const struct lanes *ls);
void lanes_set(struct lanes *ls, uint64_t number, uint64_t resource, unsigned flags);
void lanes_point(struct lanes *ls, const struct point *m);
void lanes_close(struct lanes *ls, uint64_t number);
struct lane *lanes_reach(struct lanes *ls, uint32_t lane);
const struct lane_point *lanes_at(const struct lanes *ls, uint32_t lane, uint32_t index);
/* Points below these counts are in all cuts: forgotten. */
void lanes_forget(struct lanes *ls, const uint32_t *counts, uint32_t n);
void lanes_forget_order(struct lanes *ls, uint64_t number);
/* The lane of point number n in order of arrival. */
uint32_t lanes_order(const struct lanes *ls, uint64_t n);

/* --- cuts as keys (packing.c) --- */

/* Where a lane's count is in a key: base + (key[word] >> shift & mask); mask 0: the same in all. */
struct packing_field {
	uint32_t lane;
	uint32_t base, word;
	uint32_t shift, bits;
	uint64_t mask;
};

struct packing {
	uint32_t nlanes, words, nactive;
	struct packing_field *by_lane;
	uint32_t *active; /* lanes with a field, ascending */
	uint64_t *guards; /* by word: a bit above each field */
};

/* What may be asked of a lane's next point. */
struct packing_lane {
	/* By count - base.  Rows: words each, what it needs; compares with a key as one
	 * subtraction.  Starts: bits of the resources of sets that it starts. */
	VEC(uint64_t) rows, starts;
	uint32_t filled;
	VEC(struct lane_open) open; /* by count - open_first */
	uint32_t open_first;
};

/* Where to look up what an active lane has open. */
struct packing_view {
	uint32_t word, shift;
	uint64_t mask;
	const struct lane_open *open; /* by count - base */
};

static inline uint32_t packing_count(const struct packing *p, const uint64_t *key, uint32_t lane)
{
	const struct packing_field *f;

	if (lane >= p->nlanes)
		return 0;
	f = &p->by_lane[lane];
	return f->base + (uint32_t)(key[f->word] >> f->shift & f->mask);
}

static inline __attribute__((always_inline)) int packing_compare(const uint64_t *a,
								 const uint64_t *b, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

struct packing *packing_new(uint32_t nlanes);
void packing_free(struct packing *p);
void packing_cut(const struct packing *p, const uint64_t *key, uint32_t *cut);
bool packing_key(const struct packing *p, const uint32_t *cut, uint32_t n, uint64_t *key);

/* --- levels --- */

struct level {
	uint64_t number;
	size_t n, cuts;	   /* entries, each a cut and a configuration; cuts */
	uint64_t *keys;	   /* ascending, then by configuration */
	uint32_t *configs; /* NULL without */
	uint64_t *counts;  /* of runs that lead here; NULL without */
	uint32_t limbs;	   /* of a count */
	uint64_t most;	   /* largest top limb */
	size_t key_room, config_room, count_room; /* of the arrays */
	const struct packing *packing;
};

enum cut_reason {
	CUT_NONE,
	CUT_BREADTH,
	CUT_MEMORY,
	CUT_BUDGET,
	CUT_HORIZON,
	CUT_DELAYED,
	CUT_STOP,
	CUT_KEPT
};

struct lattice {
	struct lattice_options opt;
	struct lanes lanes;
	struct packing *packing;
	VEC(struct packing_lane) window; /* by lane */
	VEC(struct packing_view) views;	 /* by active lane, while there are sets */
	struct lane_open idle;		 /* of all lanes without a field */
	uint32_t odd_sets;		 /* lanes.odd_sets that window is good for */
	uint64_t packed_at;		 /* level */
	VEC(uint32_t) top;		 /* by lane: most points of it in a cut of the level */
	bool top_loose;			 /* top may be more than that */
	VEC(uint32_t) passed;		 /* the same of all levels before it */
	struct level level, next;
	VEC(uint32_t) observed_cut;
	struct expand *expand;
	/* answers */
	uint64_t cuts, edges, dead_ends, widest, bytes;
	VEC(struct lattice_found) found;
	struct {
		uint64_t bad, error, unknown; /* properties found */
	} seen;
	VEC(uint8_t) verdicts; /* by configuration: looked at, and what it was */
	size_t collect_at;
	bool finishing, done, stopped;
	struct big runs, violating;
	/* What was left out. */
	enum cut_reason why;
	uint64_t why_level, left_out;
	uint64_t tried; /* lanes.news at which nothing could be built */
	uint32_t wait_set;
	/* keep */
	VEC(struct level) kept;
	VEC(struct packing *) packings;
	uint64_t kept_bytes;
	bool kept_lost;
};

static inline size_t level_entry_bytes(const struct level *v)
{
	return (v->packing->words + v->limbs) * sizeof(uint64_t) +
	       (v->configs ? sizeof(uint32_t) : 0);
}

/* Room for n entries in all. */
void level_reserve(struct level *v, size_t n, bool configs);
void level_release(struct level *v);
bool level_same_cut(const struct level *v, size_t a, size_t b);
/* Leaves `keep' cuts of the level. */
void level_narrow(struct level *v, const uint32_t *observed, size_t keep);

/* Makes the packing good for building the next level from l->level: all counts fit, rows are there. */
void packing_prepare(struct lattice *l);
/* l->top, exactly. */
void packing_measure(struct lattice *l);
/* Point `index' of the lane is next in the cut; may it come? */
bool packing_enabled(const struct lattice *l, const struct packing *p, const uint64_t *key,
		     uint32_t lane);

/* --- open sets (open.c) --- */

/* The lane's masks up to this count. */
void open_fill(struct lattice *l, uint32_t lane, uint32_t count);
/* No cut has less than base points of the lane. */
void open_forget(struct lattice *l, uint32_t lane, uint32_t base);
/* A set that was thought to be its lane's own is not: from now on the sets are asked. */
void open_doubt(struct lattice *l);
/* l->idle and l->views, for the packing. */
void open_idle(struct lattice *l);
void open_views(struct lattice *l);
/* The sets that the point starts may be started here.  *wait (may be NULL): else only because this
 * set, + 1, is not closed yet. */
bool open_sets_free(const struct lattice *l, const struct packing *p, const uint64_t *key,
		    const struct lane_point *m, uint32_t *wait);

/* --- a level's successors: workers and what they share (expand.c, expand_piece.c) --- */

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

enum expand_result { EXPAND_OK, EXPAND_WAIT, EXPAND_MEMORY, EXPAND_STOP };
struct expand *expand_new(unsigned jobs);
void expand_free(struct expand *e);
void expand_forget(struct expand *e); /* configurations were collected */
/* l->next from l->level.  Adds to edges, and to dead ends. */
enum expand_result expand_level(struct lattice *l, size_t limit, bool wait, uint64_t *edges,
				uint64_t *dead, uint32_t *wait_set);
uint32_t expand_step(struct lattice *l, uint32_t config, const struct lane_point *m);

/* The last step of a run to the cut, from the level before: of which lane, from which configuration.
 * config: where it leads; UINT32_MAX: anywhere (bad, error: 0), or to where such a property becomes so. */
struct lattice_step {
	uint32_t lane, config;
};
bool lattice_step_back(struct lattice *l, const struct level *before, const uint32_t *cut,
		       uint32_t n, uint32_t config, uint64_t bad, uint64_t error,
		       struct lattice_step *out);

#endif /* LATTICE_LATTICE_PRIV_H */
