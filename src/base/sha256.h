/*
 * SHA-256 (FIPS 180-4).
 *
 * Ownership: the caller owns the struct; there is nothing to release.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/common.h"

#define SHA256_BYTES 32
#define SHA256_HEX 65 /* with the NUL */

struct sha256 {
	uint32_t h[8];
	uint64_t n; /* bytes so far */
	uint8_t block[64];
	void (*blocks)(uint32_t h[8], const uint8_t *p, size_t n);
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t n);
/* The struct is spent afterwards. */
void sha256_end(struct sha256 *s, uint8_t out[SHA256_BYTES]);
void sha256_hex(const uint8_t sum[SHA256_BYTES], char out[SHA256_HEX]);

/* Like sha256_init, but never with the processor's own instructions: for tests. */
void sha256_init_plain(struct sha256 *s);

#endif /* BASE_SHA256_H */
