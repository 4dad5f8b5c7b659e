/*
 * What the engines that follow a run step by step have in common: the accesses a cell remembers,
 * and the pairs that are told.
 *
 * An access is ordered before the present moment of chain t when its chain is t, or when the
 * clock of t knows its time.  Which clock that is makes the difference between the engines.
 */
#ifndef COMPARE_STREAM_PRIV_H
#define COMPARE_STREAM_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
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
	const char *why; /* static */
	bool all, full;
	struct findings found;
	struct map index;	/* signature: 1 + index in found; all: event: its latest partner */
	uint64_t first, second; /* the pair before, by position */
};

void pairs_init(struct pairs *p, const struct engine *engine, const char *why, bool all);
/* a came before b.  With `all' a pair is kept once however many cells it shares; else one
 * finding for each pair of places, and a count of the rest. */
void pairs_add(struct pairs *p, const struct seen *a, const struct seen *b);
/* Hands the findings over and releases p. */
void pairs_end(struct pairs *p, struct engine_result *out);

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

void pasts_init(struct pasts *p, bool all, bool last_write);
void pasts_release(struct pasts *p);

/* Tells which accesses of the cells are not ordered before e, by the clock `now' of its chain,
 * and conflict with it; then remembers e. */
void pasts_access(struct pasts *p, const uint32_t *cells, uint32_t ncells, const struct stamp *now,
		  const struct seen *e, struct pairs *out);

/* Cell `to' takes over what `from' has seen. */
void pasts_split(struct pasts *p, uint32_t from, uint32_t to);
void pasts_drop(struct pasts *p, uint32_t cell);

#endif /* COMPARE_STREAM_PRIV_H */
