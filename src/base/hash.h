/*
 * Hashes: numbers and bytes mixed so that tables fill evenly, or that one number stands for many.
 * No hash leaves the process: what the file format sums is in trace/format.h.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_GOLDEN 0x9e3779b97f4a7c15u /* 2^64 by the golden ratio: neighbours end up far apart */
#define HASH_TEXT 0xcbf29ce484222325u	/* of no text yet */

/* One multiplication: the upper bits depend on all of x, the lower ones do not. */
static inline uint64_t hash_upper(uint64_t x)
{
	return x * HASH_GOLDEN;
}

/* The hash h and one more number; all bits are good enough for a table. */
static inline uint64_t hash_add(uint64_t h, uint64_t x)
{
	h = (h ^ x) * HASH_GOLDEN;
	return h ^ h >> 29;
}

static inline uint64_t hash_numbers(uint64_t h, const uint32_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = hash_add(h, at[i]);
	return h;
}

/* Two numbers, well enough mixed to stand for them. */
static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	uint64_t h = (hash_add(a, 0) ^ b) * 0xbf58476d1ce4e5b9u;

	return h ^ h >> 32;
}

/* Bytes, one by one (FNV-1a), from HASH_TEXT on. */
static inline uint64_t hash_byte(uint64_t h, uint8_t byte)
{
	return (h ^ byte) * 0x100000001b3u;
}

static inline uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n)
{
	for (const uint8_t *p = bytes, *end = p + n; p < end; p++)
		h = hash_byte(h, *p);
	return h;
}

/* The text (NULL: none) and its end, so that what follows does not run into it. */
static inline uint64_t hash_text(uint64_t h, const char *s)
{
	for (; s && *s; s++)
		h = hash_byte(h, (uint8_t)*s);
	return hash_byte(h, 0xff);
}

#endif /* BASE_HASH_H */
