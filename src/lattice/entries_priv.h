/*
 * Entries of a level in order, and how two such sequences become one: the loops of expand_piece.c.
 *
 * All are inlined with words of a key, configurations and counts as constants (struct entries_shape),
 * so that the common shapes pay for nothing else.
 */
#ifndef LATTICE_ENTRIES_PRIV_H
#define LATTICE_ENTRIES_PRIV_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ENTRIES_INLINE static inline __attribute__((always_inline))

/* Entries in order, as in struct level. */
struct entries {
	uint64_t *keys, *counts;
	uint32_t *configs;
	size_t n;
};

/* What the loops take as constants. */
struct entries_shape {
	uint32_t words, limbs;
	bool configs;
};

ENTRIES_INLINE int entries_compare(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

ENTRIES_INLINE void entries_copy_words(uint64_t *to, const uint64_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = from[i];
}

ENTRIES_INLINE void entries_add_words(uint64_t *to, const uint64_t *from, uint32_t n)
{
	unsigned carry = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t sum = to[i] + from[i];
		unsigned over = sum < from[i];

		to[i] = sum + carry;
		carry = over | (unsigned)(to[i] < carry);
	}
	/* Levels are widened before a count can overflow. */
	assert(!carry);
}

/* Appends; entries of the same key come from one cut, which has few configurations. */
ENTRIES_INLINE void entries_push(struct entries *o, const uint64_t *key, uint32_t config,
				 const uint64_t *count, const struct entries_shape s)
{
	size_t at = o->n;

	if (s.configs) {
		while (at > 0 && o->configs[at - 1] >= config &&
		       entries_compare(o->keys + (at - 1) * s.words, key, s.words) == 0) {
			if (o->configs[at - 1] == config) {
				if (s.limbs)
					entries_add_words(o->counts + (at - 1) * s.limbs, count,
							  s.limbs);
				return;
			}
			at--;
		}
		memmove(o->configs + at + 1, o->configs + at, (o->n - at) * sizeof(*o->configs));
		o->configs[at] = config;
	}
	if (s.limbs) {
		if (s.configs)
			memmove(o->counts + (at + 1) * s.limbs, o->counts + at * s.limbs,
				(o->n - at) * s.limbs * sizeof(*o->counts));
		entries_copy_words(o->counts + at * s.limbs, count, s.limbs);
	}
	entries_copy_words(o->keys + o->n * s.words, key, s.words);
	o->n++;
}

ENTRIES_INLINE void entries_take(struct entries *o, const struct entries *a, size_t i,
				 const struct entries_shape s)
{
	entries_copy_words(o->keys + o->n * s.words, a->keys + i * s.words, s.words);
	if (s.configs)
		o->configs[o->n] = a->configs[i];
	if (s.limbs)
		entries_copy_words(o->counts + o->n * s.limbs, a->counts + i * s.limbs, s.limbs);
}

ENTRIES_INLINE void entries_take_rest(struct entries *o, const struct entries *a, size_t i,
				      const struct entries_shape s)
{
	size_t n = a->n - i;

	if (!n)
		return;
	memcpy(o->keys + o->n * s.words, a->keys + i * s.words, n * s.words * sizeof(*a->keys));
	if (s.configs)
		memcpy(o->configs + o->n, a->configs + i, n * sizeof(*a->configs));
	if (s.limbs)
		memcpy(o->counts + o->n * s.limbs, a->counts + i * s.limbs,
		       n * s.limbs * sizeof(*a->counts));
	o->n += n;
}

/* One word and at most one limb: no branch depends on which is smaller. */
ENTRIES_INLINE void entries_merge_words(const struct entries *a, const struct entries *b,
					struct entries *o, const struct entries_shape s)
{
	const uint64_t *restrict ka = a->keys, *restrict kb = b->keys;
	const uint64_t *restrict na = a->counts, *restrict nb = b->counts;
	const uint32_t *restrict ca = a->configs, *restrict cb = b->configs;
	uint64_t *restrict ko = o->keys, *restrict no = o->counts;
	uint32_t *restrict co = o->configs;
	size_t i = 0, j = 0, n = o->n, an = a->n, bn = b->n;

	while (i < an && j < bn) {
		uint64_t x = ka[i], y = kb[j];
		bool le = x <= y, ge = y <= x;

		if (s.configs) {
			uint32_t c = ca[i], d = cb[j];
			bool same = le & ge;

			le = same ? c <= d : le;
			ge = same ? d <= c : ge;
			co[n] = le ? c : d;
		}
		ko[n] = le ? x : y;
		if (s.limbs)
			no[n] = (na[i] & -(uint64_t)le) + (nb[j] & -(uint64_t)ge);
		i += le;
		j += ge;
		n++;
	}
	o->n = n;
	entries_take_rest(o, a, i, s);
	entries_take_rest(o, b, j, s);
}

ENTRIES_INLINE void entries_merge_any(const struct entries *a, const struct entries *b,
				      struct entries *o, const struct entries_shape s)
{
	size_t i = 0, j = 0;

	while (i < a->n && j < b->n) {
		int c = entries_compare(a->keys + i * s.words, b->keys + j * s.words, s.words);

		if (c == 0 && s.configs && a->configs[i] != b->configs[j])
			c = a->configs[i] < b->configs[j] ? -1 : 1;
		entries_take(o, c <= 0 ? a : b, c <= 0 ? i : j, s);
		if (c == 0 && s.limbs)
			entries_add_words(o->counts + o->n * s.limbs, b->counts + j * s.limbs,
					  s.limbs);
		i += c <= 0;
		j += c >= 0;
		o->n++;
	}
	entries_take_rest(o, a, i, s);
	entries_take_rest(o, b, j, s);
}

ENTRIES_INLINE void entries_merge(const struct entries *a, const struct entries *b,
				  struct entries *o, const struct entries_shape s)
{
	if (s.words == 1 && s.limbs <= 1)
		entries_merge_words(a, b, o, s);
	else
		entries_merge_any(a, b, o, s);
}

#endif /* LATTICE_ENTRIES_PRIV_H */
