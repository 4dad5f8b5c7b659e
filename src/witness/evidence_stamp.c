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

static uint64_t block_key(uint64_t addr, unsigned level)
{
	return (addr >> level << level | ((uint64_t)1 << level >> 1)) * 2 + (level == 0);
}

bool evidence_block_next(uint64_t *addr, uint64_t *len, uint64_t *levels, uint64_t *key)
{
	unsigned level = *addr ? (unsigned)__builtin_ctzll(*addr) : 62, fits;

	if (*len == 0)
		return false;
	fits = 63 - (unsigned)__builtin_clzll(*len);
	level = level < fits ? level : fits;
	level = level < 62 ? level : 62;
	*levels |= (uint64_t)1 << level;
	*key = block_key(*addr, level);
	*addr += (uint64_t)1 << level;
	*len -= (uint64_t)1 << level;
	return true;
}

bool evidence_block_around(uint64_t addr, uint64_t *levels, uint64_t *key)
{
	if (*levels == 0)
		return false;
	*key = block_key(addr, (unsigned)__builtin_ctzll(*levels));
	*levels &= *levels - 1;
	return true;
}

void evidence_stamp(struct evidence_memory *m, uint64_t addr, uint64_t len, uint32_t pos,
		    bool freed)
{
	uint64_t key;

	m->stamp_last.good = false;
	while (evidence_block_next(&addr, &len, &m->stamp_levels, &key)) {
		uint64_t *v = map_put(&m->stamps, key, NULL);

		*v = freed ? (*v >> 32 << 32 | pos) : ((uint64_t)pos << 32 | (*v & UINT32_MAX));
	}
}

void evidence_stamp_get(struct evidence_memory *m, uint64_t addr, uint32_t *alloc, uint32_t *freed)
{
	uint64_t levels = m->stamp_levels, key;

	if (m->stamp_last.good && m->stamp_last.addr == addr) {
		*alloc = m->stamp_last.alloc;
		*freed = m->stamp_last.freed;
		return;
	}
	*alloc = *freed = 0;
	while (evidence_block_around(addr, &levels, &key)) {
		const uint64_t *v = map_get(&m->stamps, key);

		if (v && *v >> 32 > *alloc)
			*alloc = (uint32_t)(*v >> 32);
		if (v && (uint32_t)*v > *freed)
			*freed = (uint32_t)*v;
	}
	m->stamp_last.addr = addr;
	m->stamp_last.alloc = *alloc;
	m->stamp_last.freed = *freed;
	m->stamp_last.good = true;
}
