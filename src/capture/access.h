/* Loads and stores by size. */
#ifndef CAPTURE_ACCESS_H
#define CAPTURE_ACCESS_H

#include "capture/common.h"

INLINE uint64_t access_load(const void *p, unsigned log2)
{
	switch (log2) {
	case 0:
		return *(const volatile uint8_t *)p;
	case 1:
		return *(const volatile uint16_t *)p;
	case 2:
		return *(const volatile uint32_t *)p;
	default:
		return *(const volatile uint64_t *)p;
	}
}

INLINE void access_store(void *p, unsigned log2, uint64_t x)
{
	switch (log2) {
	case 0:
		*(volatile uint8_t *)p = (uint8_t)x;
		break;
	case 1:
		*(volatile uint16_t *)p = (uint16_t)x;
		break;
	case 2:
		*(volatile uint32_t *)p = (uint32_t)x;
		break;
	default:
		*(volatile uint64_t *)p = x;
	}
}

/* A value of that size as the signed number that it may be. */
INLINE uint64_t access_signed(uint64_t x, unsigned log2)
{
	unsigned above = 64 - (8u << log2);

	return (uint64_t)((int64_t)(x << above) >> above);
}

/* Writes x over x, atomically; false: it is not x. */
static inline bool access_keep(void *p, unsigned log2, uint64_t x)
{
#define KEEP(type)                                                                 \
	__atomic_compare_exchange_n((type *)p, &(type){ (type)x }, (type)x, false, \
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
	switch (log2) {
	case 0:
		return KEEP(uint8_t);
	case 1:
		return KEEP(uint16_t);
	case 2:
		return KEEP(uint32_t);
	default:
		return KEEP(uint64_t);
	}
#undef KEEP
}

struct thread;

/* In a thread that ends: its local variables end with it (access.c). */
void access_scopes_end(struct thread *t);

#endif /* CAPTURE_ACCESS_H */
