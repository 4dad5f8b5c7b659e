/*
 * Happens-before of the observed run, for the engines that follow it step by step: a clock for
 * every chain, lock, channel and atomic cell (doc/ENGINES.md, hb).
 *
 * Edges:
 *	FORK, JOIN, PUT to GET		always
 *	REL to ACQ and RACQ, RREL to ACQ	when lock steps are given
 *	release to acquire, by C11	when `atomics' is set
 *
 * `hard', when asked for, holds for every chain what reaches it by the first and third kind of
 * edge, with all that happened before: the ground on which WCP builds.
 *
 * Memory: by chains, locks, channels and atomic cells; not by events.
 */
#ifndef COMPARE_SYNC_PRIV_H
#define COMPARE_SYNC_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "compare/stream_priv.h"
#include "order/stamp.h"
#include "order/step.h"

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

void sync_init(struct sync *y, bool atomics, bool with_hard);
void sync_release(struct sync *y);

void sync_grow(struct sync *y, uint32_t chain);
struct sync_lock *sync_lock(struct sync *y, uint32_t lock);

/* Everything but accesses; steps that mean nothing here are left alone. */
void sync_step(struct sync *y, const struct step *s);

/* An atomic access: what it acquires, and afterwards, when it has been looked at, what it
 * releases. */
void sync_acquire(struct sync *y, const struct step *s, const uint32_t *cells);
void sync_publish(struct sync *y, const struct step *s, const uint32_t *cells);

void sync_split(struct sync *y, uint32_t from, uint32_t to);
void sync_drop(struct sync *y, uint32_t cell);

/* The chain comes after everything that any chain has done so far. */
void sync_after_all(struct sync *y, uint32_t chain);

/* The chain's clock; good until a chain is met for the first time. */
static inline struct stamp *sync_now(struct sync *y, uint32_t chain)
{
	if (chain >= y->now.n)
		sync_grow(y, chain);
	return &y->now.at[chain];
}

#endif /* COMPARE_SYNC_PRIV_H */
