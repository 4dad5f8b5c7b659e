/*
 * Bytes from a file nobody vouches for, taken from the front.
 *
 * Reading past the end, or a varint longer than 10 bytes, sets `bad' and
 * yields 0 from then on; callers decode a whole record and look once.
 */
#ifndef BASE_WIRE_H
#define BASE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire {
	const uint8_t *at, *end;
	bool bad;
};

static inline size_t wire_left(const struct wire *w)
{
	return w->bad ? 0 : (size_t)(w->end - w->at);
}

static inline uint64_t wire_fail(struct wire *w)
{
	w->bad = true;
	w->at = w->end;
	return 0;
}

static inline uint8_t wire_byte(struct wire *w)
{
	if (w->at == w->end)
		return (uint8_t)wire_fail(w);
	return *w->at++;
}

/* n <= 8 bytes, little-endian. */
static inline uint64_t wire_fixed(struct wire *w, unsigned n)
{
	uint64_t v = 0;

	if ((size_t)(w->end - w->at) < n)
		return wire_fail(w);
	__builtin_memcpy(&v, w->at, n);
	w->at += n;
	return v;
}

static inline uint64_t wire_varint(struct wire *w)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t b = wire_byte(w);

		if (shift == 63 && b > 1)
			break;
		v |= (uint64_t)(b & 127) << shift;
		if (b < 128)
			return v;
	}
	return wire_fail(w);
}

/* A varint that must fit 32 bits. */
static inline uint32_t wire_u32(struct wire *w)
{
	uint64_t v = wire_varint(w);

	return v <= UINT32_MAX ? (uint32_t)v : (uint32_t)wire_fail(w);
}

/* The next n bytes, borrowed; NULL when there are fewer. */
static inline const uint8_t *wire_bytes(struct wire *w, uint64_t n)
{
	const uint8_t *p = w->at;

	if ((uint64_t)(w->end - w->at) < n) {
		wire_fail(w);
		return NULL;
	}
	w->at += n;
	return p;
}

/* The next n bytes as a wire of their own, which is bad when there are fewer. */
static inline struct wire wire_part(struct wire *w, uint64_t n)
{
	const uint8_t *at = wire_bytes(w, n);

	return (struct wire){ at, w->at, w->bad };
}

#endif /* BASE_WIRE_H */
