/*
 * Cells of the lock recorder: a table by address, in place of a shadow of all memory.
 *
 * The lock recorder goes into programs that were not built for it.  They may lock all their memory
 * (mlockall), limit it, or use the addresses of a shadow; so only the few words that matter have
 * cells.
 * Words of one page lie together in the table, for the sake of arrays of locks, and as close as
 * mutexes can: they are 40 bytes long, so of 32 bytes hardly ever two words have an entry.
 *
 * Entries are never removed: the next lock at an address goes on from the version of the last one.
 */
#ifndef CAPTURE_LOCKS_CELL_H
#define CAPTURE_LOCKS_CELL_H

#include <stdbool.h>
#include <stdint.h>

#define LOCKS_CELL_BITS 21 /* entries: 32 MiB, if all pages of it are ever touched */
#define LOCKS_CELL_MASK ((1u << LOCKS_CELL_BITS) - 1)

struct locks_cell {
	uint64_t word; /* its address / 8; 0: unused.  Set once. */
	uint64_t version;
};

extern struct locks_cell *locks_cells; /* set before anything is recorded */

static inline uint32_t locks_cell_home(uint64_t word)
{
	uint64_t page = (word >> 9) * 0x9e3779b97f4a7c15u >> (64 - LOCKS_CELL_BITS);

	return (uint32_t)(page + (word >> 2 & 127)) & LOCKS_CELL_MASK;
}

/* The entry that is most likely that of the word at p. */
static inline struct locks_cell *locks_cell_expect(const void *p)
{
	return &locks_cells[locks_cell_home((uintptr_t)p >> 3)];
}

/* The entry of a word that is not at home; made if it is new. */
uint64_t *locks_cell_find(uint64_t word) __attribute__((noinline, cold));

/* Relaxed: the version of a new entry is 0, as if it had always been there. */
static inline bool locks_cell_is_of(const struct locks_cell *c, const void *p)
{
	return __atomic_load_n(&c->word, __ATOMIC_RELAXED) == (uintptr_t)p >> 3;
}

static inline uint64_t *cell_of(const void *p)
{
	struct locks_cell *c = locks_cell_expect(p);

	if (__builtin_expect(locks_cell_is_of(c, p), 1))
		return &c->version;
	return locks_cell_find((uintptr_t)p >> 3);
}

/* Room for the table; false: there is none. */
bool locks_cell_start(void);

#endif /* CAPTURE_LOCKS_CELL_H */
