/*
 * The state behind causes.h, shared by causes.c (events, points), causes_lanes.c, causes_cells.c
 * (memory, locks) and causes_order.c (a path back to all events).
 *
 * An event is walked in three steps: what it must come after is joined into its lane; if it is a
 * point the lane's count goes up; what may come after it is told to cells, locks and channels.
 * Absent events, those that no run has, are walked too: what needs them is absent as well.
 */
#ifndef LATTICE_CAUSES_PRIV_H
#define LATTICE_CAUSES_PRIV_H

#include "lattice/causes.h"
#include "lattice/known.h"

/* What a lane knew after an event, until the next of these. */
struct causes_past {
	uint64_t pos;
	struct known *known;
	bool merged; /* stands for what came before as well, which knew less */
};

/* What ends a wait that the sink was told of. */
enum causes_wait {
	CAUSES_WAIT_FORK, /* the lane has no thread */
	CAUSES_WAIT_LOCK,
	CAUSES_WAIT_LANE, /* the end of a thread there */
	CAUSES_WAIT_COND,
};

struct causes_lane {
	struct known *now;
	struct known *told; /* what its last point needs */
	uint32_t count;	    /* points */
	uint32_t parked;    /* condition + 1; 0: not parked */
	bool met, waits, ended;
	enum causes_wait wait; /* while it waits, and for which: */
	uint32_t wait_obj;
	VEC(struct causes_past) past;
};

/* An atomic set that may still get members. */
struct causes_open {
	uint32_t set;	   /* its number for the sink */
	uint32_t refs;	   /* cells whose value it has; locks: 1 */
	bool sent, spoilt; /* the sink knows it; a member was left out, so it is never complete */
};

/* Memory by algorithm A, and what both kinds need: the latest write, and all accesses since,
 * joined (weak: all there ever were).  Of a cell or, MVC, of a lock. */
struct causes_cell {
	struct known *write, *all;
	uint32_t weak; /* index + 1; 0: algorithm A */
};

/* Memory by weak happens-before: all accesses are points.
 *	base	what every later write comes after: reads of a value that no set has, all there was
 *		before the cell became weak or was split
 *	shared	the set has accesses of another cell too, which was one with this when it began
 */
struct causes_weak {
	struct known *base, *readers; /* readers: of the present value */
	uint32_t resource;
	uint32_t open; /* index + 1; 0: the present value has no set */
	bool shared;
};

struct causes_reader {
	uint32_t tid, open;
};

struct causes_lock {
	struct causes_cell cell;
	bool dead;  /* taken by somebody whom no run has, from somebody else: nobody gets it */
	bool held;  /* MVC: in write mode, by an acquire that is in some run */
	bool known; /* it has a resource */
	uint32_t resource;
	uint32_t open; /* WEAK: of the section in write mode; index + 1 */
	VEC(struct causes_reader) readers;
};

struct causes_parked {
	uint32_t lane;
	struct known *known;
};

struct causes_cond {
	VEC(struct causes_parked) parked;
};

struct causes {
	struct causes_options opt;
	struct point_sink sink;
	bool sends;	 /* there is a sink */
	uint64_t points; /* sent so far */
	struct map path; /* position, to its number from 1 */
	struct knowns knowns;
	VEC(struct causes_lane) lanes;
	VEC(struct causes_cell) cells;
	VEC(struct causes_weak) weaks;
	VEC(uint32_t) unused_weaks; /* indices */
	VEC(struct causes_open) opens;
	VEC(uint32_t) unused_opens;
	VEC(struct causes_lock) locks;
	VEC(struct known *) channels;
	VEC(struct causes_cond) conds;
	uint32_t nsets, nresources;
	uint32_t nwaits; /* lanes that wait for more than a fork */

	/* The event in hand. */
	uint64_t pos;
	uint32_t lane;
	bool point, absent, sent;
	VEC(struct point_need) needs;
	VEC(uint32_t) starts, joins, closes;

	/* With a path: the rank of each event from the first on. */
	uint64_t first;
	VEC(uint32_t) ranks, tids;
};

#define CAUSES_NO_RANK UINT32_MAX

static inline struct known **causes_now(struct causes *c)
{
	return &c->lanes.at[c->lane].now;
}

static inline bool causes_is_never(const struct causes *c, const struct known *k)
{
	return k == c->knowns.never;
}

/* ---- causes.c ---- */

/* A set that the event in hand starts; its index in opens + 1. */
uint32_t causes_start(struct causes *c, uint32_t resource, unsigned flags);
void causes_join(struct causes *c, uint32_t open);
/* One cell, or the lock, has it no longer; closed when it was the last. */
void causes_leave(struct causes *c, uint32_t open);

/* ---- causes_lanes.c ---- */

/* The sink hears of a lane before its first point: it must wait for that. */
void causes_lane_meet(struct causes *c, uint32_t lane);
void causes_lane_end(struct causes *c, uint32_t lane);
void causes_lane_wait(struct causes *c, uint32_t lane, enum causes_wait wait, uint32_t obj);
/* What these lanes wait for has come, and those behind it need not: their next points may not need
 * what comes from here on. */
void causes_lanes_wake(struct causes *c, enum causes_wait wait, uint32_t obj);

/* The event in hand is over: remembers what its lane knows now. */
void causes_past_note(struct causes *c);
/* The event in hand comes after the one at pos, of that lane; guard: if that is in the run. */
void causes_past_join(struct causes *c, uint32_t lane, uint64_t pos, bool guard);

/* ---- causes_cells.c ---- */

/* WEAK, before anything else of an access: some cell of it is weak. */
bool causes_touches(const struct causes *c, const struct step_batch *b, const struct step *s);
/* WEAK: the event is a point, so the cells may become weak. */
void causes_weaken(struct causes *c, const struct step_batch *b, const struct step *s);
void causes_access_before(struct causes *c, const struct step_batch *b, const struct step *s);
void causes_access_after(struct causes *c, const struct step_batch *b, const struct step *s);
void causes_split(struct causes *c, uint32_t from, uint32_t to);
void causes_drop(struct causes *c, uint32_t cell);
void causes_lock_before(struct causes *c, const struct step *s);
void causes_lock_after(struct causes *c, const struct step *s);

/* ---- causes_order.c ---- */

void causes_rank(struct causes *c, uint32_t tid);

#endif /* LATTICE_CAUSES_PRIV_H */
