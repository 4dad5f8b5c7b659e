/*
 * The reference model is a sorted list; tests/unit/test_step.c holds this file to it.
 *
 * A tree with 64 children a node whose nodes live in one hash map, by (level, prefix):
 *
 *	level 0   prefix key >> 6    bit key & 63           the keys themselves
 *	level 1   prefix key >> 12   bit key >> 6 & 63      nodes of level 0 that are not empty
 *	...
 *
 * A search climbs only until it finds a later bit or has left the range asked for, so for short
 * ranges it looks at one node or two.
 */
#include "base/keyset.h"

#define LEVELS 11 /* 6 bits each: 66 */
#define LEVEL_SHIFT 58

static uint64_t node_key(unsigned level, uint64_t prefix)
{
	assert(level < LEVELS && prefix >> LEVEL_SHIFT == 0);
	return (uint64_t)level << LEVEL_SHIFT | prefix;
}

static uint64_t node_bits(const struct keyset *k, unsigned level, uint64_t prefix)
{
	const uint64_t *bits = map_get(&k->nodes, node_key(level, prefix));

	return bits ? *bits : 0;
}

void keyset_release(struct keyset *k)
{
	map_release(&k->nodes);
}

void keyset_add(struct keyset *k, uint64_t key)
{
	for (unsigned level = 0; level < LEVELS; level++, key >>= 6) {
		uint64_t *bits = map_put(&k->nodes, node_key(level, key >> 6), NULL);
		bool known = *bits != 0;

		*bits |= (uint64_t)1 << (key & 63);
		if (known)
			return; /* the nodes above have it already */
	}
}

void keyset_remove(struct keyset *k, uint64_t key)
{
	for (unsigned level = 0; level < LEVELS; level++, key >>= 6) {
		uint64_t *bits = map_get(&k->nodes, node_key(level, key >> 6));

		if (!bits)
			return;
		*bits &= ~((uint64_t)1 << (key & 63));
		if (*bits != 0)
			return;
		map_remove(&k->nodes, node_key(level, key >> 6));
	}
}

bool keyset_next(const struct keyset *k, uint64_t from, uint64_t last, uint64_t *key)
{
	uint64_t at = from, bits = 0; /* at: in units of 64^level */
	unsigned level;

	if (from > last || k->nodes.n == 0)
		return false;
	for (level = 0; level < LEVELS; level++) {
		bits = node_bits(k, level, at >> 6) & ~(uint64_t)0 << (at & 63);
		if (bits != 0)
			break;
		at = (at >> 6) + 1;
		/* The units at this level start past the end, or past all numbers. */
		if (level + 1 == LEVELS || at > last >> 6 * (level + 1))
			return false;
	}
	at = (at & ~(uint64_t)63) | (uint64_t)__builtin_ctzll(bits);
	for (; level > 0; level--)
		at = at << 6 | (uint64_t)__builtin_ctzll(node_bits(k, level - 1, at));
	*key = at;
	return at <= last;
}
