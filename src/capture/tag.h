/*
 * Tags: one 64-bit shadow word for each aligned 8-byte word of the program.
 *
 *	bit 63   locked: a writer has its position in the order and is not done yet
 *	62..43   thread of the last write      \ together the version;
 *	42..0    that thread's event number    / 0 is INIT
 *
 * A store locks the tag by compare-and-swap, writes, and unlocks with its
 * own version.  A load is a seqlock read: tag, memory, tag again; equal and
 * unlocked means that the bytes belong to that version.  Versions are unique,
 * so there is no ABA.  Loads write nothing shared.
 *
 * The shadow of address a is (a ^ TAG_FLIP) + TAG_SKEW; blocks of 2^40 bytes
 * are mapped on demand without reserve (tag_cover), for the addresses where Linux
 * puts things.  The skew matters: AMD's first-level cache predicts the way from a
 * hash of address bits 12 to 27, and a word and its tag that differ in bit 46 only
 * evict each other at every access (54 instead of 9 ns a store, measured).
 *
 * Orderings: the CAS that locks is acquire and pairs with the release store
 * that unlocks; the first load of a seqlock read is acquire and pairs with the
 * same store.  x86 keeps loads in order, so the second needs only the compiler.
 */
#ifndef CAPTURE_TAG_H
#define CAPTURE_TAG_H

#include "capture/common.h"

#define TAG_FLIP 0x400000000000u
#define TAG_SKEW 0x1a2b5000u
#define TAG_LOCKED (1ull << 63)

typedef uint64_t tag_version;

#ifdef FORESEE_LOCKS
#include "capture/locks_tag.h" /* few words have tags */
#else
static inline uint64_t *tag_of(const void *p)
{
	return (uint64_t *)((((uintptr_t)p & ~(uintptr_t)7) ^ TAG_FLIP) + TAG_SKEW);
}
#endif

static inline tag_version tag_make(uint32_t tid, uint64_t tseq)
{
	return (uint64_t)tid << FORMAT_TSEQ_BITS | tseq;
}

static inline uint32_t tag_tid(tag_version v)
{
	return (uint32_t)(v >> FORMAT_TSEQ_BITS);
}

static inline uint64_t tag_tseq(tag_version v)
{
	return v & ((1ull << FORMAT_TSEQ_BITS) - 1);
}

/*
 * Waits until somebody else's lock is gone; returns the unlocked version.  A holder that vanished
 * (longjmp out of a signal handler, asynchronous cancel) is given up on after a while, so that no
 * program hangs because of the recorder.  What that thread wrote is in no record, so recording
 * stops.
 */
tag_version tag_wait(uint64_t *tag) COLD;

/* How often a waiter yields before it gives up; a variable for the sake of tests. */
extern unsigned tag_patience;

static inline tag_version tag_peek(const uint64_t *tag)
{
	tag_version v = __atomic_load_n(tag, __ATOMIC_ACQUIRE);

	return UNLIKELY(v & TAG_LOCKED) ? tag_wait((uint64_t *)tag) : v;
}

static inline bool tag_still(const uint64_t *tag, tag_version v)
{
	__asm__ volatile("" ::: "memory");
	return __atomic_load_n(tag, __ATOMIC_RELAXED) == v;
}

/* The cache line will be written: fetch it for writing at once, not first for reading. */
static inline void tag_prepare(const uint64_t *tag)
{
	__asm__ volatile("prefetchw %0" : : "m"(*tag));
}

/* The same before it is known that anything will be recorded. */
static inline void tag_expect(const void *p)
{
#ifdef FORESEE_LOCKS
	tag_prepare(&locks_tag_expect(p)->version);
#else
	tag_prepare(tag_of(p));
#endif
}

static inline tag_version tag_lock(uint64_t *tag)
{
	tag_version v = __atomic_load_n(tag, __ATOMIC_RELAXED);

	for (;;) {
		if (UNLIKELY(v & TAG_LOCKED))
			v = tag_wait(tag);
		if (__atomic_compare_exchange_n(tag, &v, v | TAG_LOCKED, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return v;
	}
}

/* Locks it if it is still v; then what was read since v was looked at is of that version. */
static inline bool tag_try(uint64_t *tag, tag_version v)
{
	return LIKELY(__atomic_compare_exchange_n(tag, &v, v | TAG_LOCKED, false, __ATOMIC_ACQUIRE,
						  __ATOMIC_RELAXED));
}

static inline void tag_unlock(uint64_t *tag, tag_version v)
{
	__atomic_store_n(tag, v, __ATOMIC_RELEASE);
}

/* The shadow (shadow.c): makes sure that the tags of [p, p + n) exist.  False: they cannot. */
bool tag_cover(const void *p, size_t n);

/* Are the tags there in the child of a fork (MADV_DOFORK), or not (MADV_DONTFORK)? */
void tag_share(int advice);

/* Gives all whole pages of tags of [p, p + n) back: INIT again. */
void tag_reset(const void *p, size_t n);

#endif /* CAPTURE_TAG_H */
