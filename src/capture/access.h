/* Loads and stores by size. */
#ifndef CAPTURE_ACCESS_H
#define CAPTURE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

static inline __attribute__((always_inline)) uint64_t access_load(const void *p, unsigned log2)
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

static inline __attribute__((always_inline)) void access_store(void *p, unsigned log2, uint64_t x)
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

/* Writes x over x, atomically; false: it is not x. */
static inline bool access_keep(void *p, unsigned log2, uint64_t x)
{
	uint8_t x1 = (uint8_t)x;
	uint16_t x2 = (uint16_t)x;
	uint32_t x4 = (uint32_t)x;

	switch (log2) {
	case 0:
		return __atomic_compare_exchange_n((uint8_t *)p, &x1, x1, false, __ATOMIC_SEQ_CST,
						   __ATOMIC_SEQ_CST);
	case 1:
		return __atomic_compare_exchange_n((uint16_t *)p, &x2, x2, false, __ATOMIC_SEQ_CST,
						   __ATOMIC_SEQ_CST);
	case 2:
		return __atomic_compare_exchange_n((uint32_t *)p, &x4, x4, false, __ATOMIC_SEQ_CST,
						   __ATOMIC_SEQ_CST);
	default:
		return __atomic_compare_exchange_n((uint64_t *)p, &x, x, false, __ATOMIC_SEQ_CST,
						   __ATOMIC_SEQ_CST);
	}
}

struct thread;

/* In a thread that ends: its local variables end with it (access.c). */
void access_scopes_end(struct thread *t);

#endif /* CAPTURE_ACCESS_H */
