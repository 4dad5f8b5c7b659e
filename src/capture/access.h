/* Loads and stores by size. */
#ifndef CAPTURE_ACCESS_H
#define CAPTURE_ACCESS_H

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

#endif /* CAPTURE_ACCESS_H */
