/*
 * Vector clocks as plain arrays of counters, one per chain.
 *
 * The caller knows how many counters there are.  The loops name vectors of four, for at -O2 gcc
 * leaves loops of unknown length as they are; the reference model is the loop over the rest.
 */
#ifndef ORDER_CLOCK_H
#define ORDER_CLOCK_H

#include "base/common.h"

#define CLOCK_STEP 4u

typedef uint32_t clock_four __attribute__((vector_size(16)));

static inline clock_four clock_load(const uint32_t *at)
{
	clock_four v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline void clock_join(uint32_t *into, const uint32_t *from, uint32_t n)
{
	uint32_t i = 0;

	for (; i + CLOCK_STEP <= n; i += CLOCK_STEP) {
		clock_four a = clock_load(into + i), b = clock_load(from + i);
		clock_four above = (clock_four)(a > b);

		a = (a & above) | (b & ~above);
		memcpy(into + i, &a, sizeof(a));
	}
	for (; i < n; i++)
		into[i] = into[i] > from[i] ? into[i] : from[i];
}

/* a <= b in every counter. */
static inline bool clock_leq(const uint32_t *a, const uint32_t *b, uint32_t n)
{
	clock_four above = { 0 };
	uint32_t i = 0, rest;

	for (; i + CLOCK_STEP <= n; i += CLOCK_STEP)
		above |= (clock_four)(clock_load(a + i) > clock_load(b + i));
	rest = above[0] | above[1] | above[2] | above[3];
	for (; i < n; i++)
		rest |= a[i] > b[i];
	return rest == 0;
}

static inline void clock_copy(uint32_t *into, const uint32_t *from, uint32_t n)
{
	memcpy(into, from, n * sizeof(*into));
}

#endif /* ORDER_CLOCK_H */
