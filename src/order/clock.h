/*
 * Vector clocks as plain arrays of counters, one per chain.
 *
 * The caller knows how many counters there are; loops are written so that compilers
 * vectorise them.
 */
#ifndef ORDER_CLOCK_H
#define ORDER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline void clock_join(uint32_t *into, const uint32_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		into[i] = into[i] > from[i] ? into[i] : from[i];
}

/* a <= b in every counter. */
static inline bool clock_leq(const uint32_t *a, const uint32_t *b, uint32_t n)
{
	uint32_t above = 0;

	for (uint32_t i = 0; i < n; i++)
		above |= a[i] > b[i];
	return above == 0;
}

static inline void clock_copy(uint32_t *into, const uint32_t *from, uint32_t n)
{
	memcpy(into, from, n * sizeof(*into));
}

#endif /* ORDER_CLOCK_H */
