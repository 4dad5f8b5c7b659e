/*
 * Tags of the lock recorder: a table by address, in place of a shadow of all memory.
 *
 * The lock recorder goes into programs that were not built for it.  They may lock all their memory
 * (mlockall), limit it, or use the addresses of a shadow; so only the few words that matter have
 * tags.
 * Words of one page lie together in the table, for the sake of arrays of locks, and as close as
 * mutexes can: they are 40 bytes long, so of 32 bytes hardly ever two words have an entry.
 *
 * Entries are never removed: the next lock at an address goes on from the version of the last one.
 */
#ifndef CAPTURE_LOCKS_TAG_H
#define CAPTURE_LOCKS_TAG_H

#include "capture/common.h"

#define LOCKS_TAG_BITS 21 /* entries: 32 MiB, if all pages of it are ever touched */
#define LOCKS_TAG_MASK ((1u << LOCKS_TAG_BITS) - 1)

struct locks_tag {
	uint64_t word; /* its address / 8; 0: unused.  Set once. */
	uint64_t version;
};

extern struct locks_tag *locks_tags; /* set before anything is recorded */

static inline uint32_t locks_tag_home(uint64_t word)
{
	uint64_t page = (word >> 9) * 0x9e3779b97f4a7c15u >> (64 - LOCKS_TAG_BITS);

	return (uint32_t)(page + (word >> 2 & 127)) & LOCKS_TAG_MASK;
}

/* The entry that is most likely that of the word at p. */
static inline struct locks_tag *locks_tag_expect(const void *p)
{
	return &locks_tags[locks_tag_home((uintptr_t)p >> 3)];
}

/* The entry of a word that is not at home; made if it is new. */
uint64_t *locks_tag_find(uint64_t word) COLD;

/* Relaxed: the version of a new entry is 0, as if it had always been there. */
static inline bool locks_tag_is_of(const struct locks_tag *c, const void *p)
{
	return __atomic_load_n(&c->word, __ATOMIC_RELAXED) == (uintptr_t)p >> 3;
}

static inline uint64_t *tag_of(const void *p)
{
	struct locks_tag *c = locks_tag_expect(p);

	if (LIKELY(locks_tag_is_of(c, p)))
		return &c->version;
	return locks_tag_find((uintptr_t)p >> 3);
}

/* Room for the table; false: there is none. */
bool locks_tag_start(void);

#endif /* CAPTURE_LOCKS_TAG_H */
