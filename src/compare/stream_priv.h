/*
 * What the engines that follow a run step by step have in common: happens-before of the observed
 * run, the accesses a cell remembers, and the pairs that are told.
 *
 * An access is ordered before the present moment of chain t when its chain is t, or when the
 * clock of t knows its time.  Which clock that is makes the difference between the engines.
 */
#ifndef COMPARE_STREAM_PRIV_H
#define COMPARE_STREAM_PRIV_H

#include "finding/finding.h"
#include "order/stamp.h"
#include "order/step.h"
#include "predict/engine.h"

struct seen {
	uint64_t pos;
	uint32_t chain, time;
	uint32_t site;
	uint8_t op; /* enum step_op */
	bool writes, atomic;
};

/* A read-modify-write is, with or without an order of its own; the destroy of an object is not. */
static inline bool seen_is_atomic(const struct step *s)
{
	return (s->op == STEP_RMW || (s->flags & STEP_ATOMIC)) && !(s->flags & STEP_RENEWS);
}

/* Of a lock: to the order that locks make it is nothing, though it needs the lock free. */
static inline bool stream_is_destroy(const struct step *s)
{
	return (s->op == STEP_ACQ && (s->flags & STEP_RENEWS)) ||
	       (s->op == STEP_REL && (s->flags & STEP_MORE));
}

static inline struct seen seen_make(const struct step *s, uint32_t time)
{
	return (struct seen){
		.pos = s->pos,
		.chain = s->chain,
		.time = time,
		.site = s->site,
		.op = s->op,
		.writes = s->op != STEP_READ,
		.atomic = seen_is_atomic(s),
	};
}

static inline bool seen_conflict(const struct seen *a, const struct seen *b)
{
	return (a->writes || b->writes) && !(a->atomic && b->atomic);
}

/* --- pairs ------------------------------------------------------------------ */

#define PAIRS_SIGNATURES 10000 /* kept for each engine; without all_pairs */
#define PAIRS_ALL 2000000      /* kept for each engine; with all_pairs */

struct pairs {
	const struct engine *engine;
	enum finding_kind kind;
	const char *why; /* static */
	bool all, full;
	struct findings found;
	struct map index;	/* signature: 1 + index in found; all: event: its latest partner */
	uint64_t first, second; /* the pair before, by position */
};

/* a came before b.  With `all' a pair is kept once however many cells it shares; else one
 * finding for each pair of places, and a count of the rest. */
void past_pairs_add(struct pairs *p, const struct seen *a, const struct seen *b);
/* Hands the findings over and releases p. */
void past_pairs_end(struct pairs *p, struct engine_result *out);

/* --- past ------------------------------------------------------------------- */

#define PAST_NEAR 2

/* The accesses of one cell that may still matter.  A cell most often has one or two, which lie in
 * the same line of cache. */
struct past {
	struct seen near[PAST_NEAR];
	struct seen *far; /* all of them, once they were more */
	uint32_t n, room; /* room: of far */
};

/* With all_pairs: every access, for each chain in its order. */
struct trail {
	uint32_t chain;
	VEC(struct seen) seen;
};

struct trails {
	VEC(struct trail) by_chain;
};

struct pasts {
	bool all;
	bool last_write; /* as FastTrack: a write stands for all that came before, raced or not */
	VEC(struct past) cells;
	VEC(struct trails) trails;
};

void pasts_release(struct pasts *p);

/* Tells which accesses of the cells are not ordered before e, by the clock `now' of its chain,
 * and conflict with it; then remembers e. */
void pasts_access(struct pasts *p, const uint32_t *cells, uint32_t ncells, const struct stamp *now,
		  const struct seen *e, struct pairs *out);

/* Cell `to', which has seen nothing, takes over what `from' has. */
void pasts_split(struct pasts *p, uint32_t from, uint32_t to);
void pasts_drop(struct pasts *p, uint32_t cell);

/* --- happens-before ----------------------------------------------------------
 *
 * A clock for every chain, lock, channel and atomic cell (doc/ENGINES.md, hb).  Edges:
 *	FORK, JOIN, PUT to GET		always
 *	REL to ACQ and RACQ, RREL to ACQ	when lock steps are given
 *	release to acquire, by C11	when `atomics' is set
 *
 * `hard', when asked for, holds for every chain what reaches it by the first and third kind of
 * edge, with all that happened before: the ground on which WCP builds.
 *
 * Memory: by chains, locks, channels and atomic cells; not by events.
 */

struct sync_lock {
	struct stamp write; /* the last release in write mode */
	struct stamp reads; /* releases in read mode since, together */
};

struct sync_fences {
	struct stamp release; /* the last release fence */
	struct stamp seen;    /* what relaxed loads met, for the next acquire fence */
};

struct sync_atomic {
	struct stamp clock; /* what an acquire load of the present value learns */
	uint32_t from;	    /* who released it: 0 nobody, 1 + chain, or SYNC_SEVERAL */
};

#define SYNC_SEVERAL UINT32_MAX

struct sync {
	bool atomics, with_hard;
	struct stamps stamps;
	VEC(struct stamp) now; /* [chain]; time from 1 */
	VEC(struct stamp) hard;
	VEC(struct sync_lock) locks;
	VEC(struct stamp) channels;
	VEC(struct sync_fences) fences; /* [chain] */
	VEC(struct sync_atomic) atomic; /* [cell], as far as some atomic access went */
};

void sync_grow(struct sync *y, uint32_t chain);
struct sync_lock *sync_lock(struct sync *y, uint32_t lock);

/* Everything but accesses; steps that mean nothing here are left alone. */
void sync_step(struct sync *y, const struct step *s);

/* An atomic access: what it acquires, and afterwards, when it has been looked at, what it
 * releases. */
void sync_acquire(struct sync *y, const struct step *s, const uint32_t *cells);
void sync_publish(struct sync *y, const struct step *s, const uint32_t *cells);

/* The chain comes after everything that any chain has done so far. */
void sync_after_all(struct sync *y, uint32_t chain);

/* The chain's clock; good until a chain is met for the first time. */
static inline struct stamp *sync_now(struct sync *y, uint32_t chain)
{
	if (chain >= y->now.n)
		sync_grow(y, chain);
	return &y->now.at[chain];
}

/* --- an engine --------------------------------------------------------------- */

struct stream {
	struct sync sync;
	struct pasts pasts;
	struct pairs pairs;
};

#define STREAM_ATOMICS 1u    /* their order counts */
#define STREAM_HARD 2u	     /* with sync.hard */
#define STREAM_LAST_WRITE 4u /* as FastTrack: pasts.last_write */

/* why: what is to be said of each finding; static. */
void stream_init(struct stream *s, const struct engine *e, const struct engine_options *opt,
		 const char *why, unsigned flags);
/* Hands the findings over and releases s. */
void stream_end(struct stream *s, struct engine_result *out);

/* SPLIT and DROP, for what all of them keep of a cell. */
void stream_split(struct stream *s, uint32_t from, uint32_t to);
void stream_drop(struct stream *s, uint32_t cell);

#endif /* COMPARE_STREAM_PRIV_H */
