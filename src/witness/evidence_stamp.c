/*
 * Which ALLOC and which FREE covered a piece of memory last, for blocks of any size.
 *
 * A range is cut into aligned blocks of powers of two, at most two of each size, and each block
 * keeps the numbers of the latest events that covered exactly it.  What holds for an address is the
 * latest of all blocks around it:
 *
 *	block of 64     ALLOC 3
 *	 its 2nd 16     ALLOC 3  FREE 9       an address in there: ALLOC 3, FREE 9
 *	  a word there  ALLOC 12              in that word: ALLOC 12, and FREE 9 before it
 *
 * Nothing is ever taken out, so an allocation costs as many steps as it has blocks.
 */
#include "witness/evidence_priv.h"

static uint64_t stamp_key(uint64_t block, unsigned level)
{
	return (block << level | ((uint64_t)1 << level >> 1)) * 2 + (level == 0);
}

static void stamp_put(struct evidence_memory *m, uint64_t block, unsigned level, uint32_t pos,
		      bool freed)
{
	uint64_t *v = map_put(&m->stamps, stamp_key(block, level), NULL);

	m->stamp_levels |= (uint64_t)1 << level;
	*v = freed ? (*v >> 32 << 32 | pos) : ((uint64_t)pos << 32 | (*v & UINT32_MAX));
}

/* The first of the aligned blocks that [addr, addr + len) consists of: log2 of its size. */
static unsigned block_level(uint64_t addr, uint64_t len)
{
	unsigned level = addr ? (unsigned)__builtin_ctzll(addr) : 62;
	unsigned fits = 63 - (unsigned)__builtin_clzll(len);

	level = level < fits ? level : fits;
	return level < 62 ? level : 62;
}

void evidence_stamp(struct evidence_memory *m, uint64_t addr, uint64_t len, uint32_t pos,
		    bool freed)
{
	while (len > 0) {
		unsigned level = block_level(addr, len);

		stamp_put(m, addr >> level, level, pos, freed);
		addr += (uint64_t)1 << level;
		len -= (uint64_t)1 << level;
	}
}

void evidence_stamp_get(const struct evidence_memory *m, uint64_t addr, uint32_t *alloc,
			uint32_t *freed)
{
	*alloc = *freed = 0;
	for (uint64_t levels = m->stamp_levels; levels != 0; levels &= levels - 1) {
		unsigned level = (unsigned)__builtin_ctzll(levels);
		const uint64_t *v = map_get(&m->stamps, stamp_key(addr >> level, level));

		if (v && *v >> 32 > *alloc)
			*alloc = (uint32_t)(*v >> 32);
		if (v && (uint32_t)*v > *freed)
			*freed = (uint32_t)*v;
	}
}
