/*
 * SHA-256, from the text of FIPS 180-4: 64 rounds over a block of sixteen 32-bit words.
 *
 * Digests of long traces take a noticeable part of the reading, so processors that have
 * instructions for it use them.  They keep the eight words of state as two registers, ABEF and
 * CDGH, and do two rounds at a time; tests/unit/test_sha256.c holds both ways against each other.
 */
#include "base/sha256.h"

static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t turn(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static uint32_t word(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void schedule(uint32_t w[64], const uint8_t *p)
{
	for (unsigned i = 0; i < 16; i++)
		w[i] = word(p + 4 * i);
	for (unsigned i = 16; i < 64; i++) {
		uint32_t x = w[i - 15], y = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] + (turn(x, 7) ^ turn(x, 18) ^ x >> 3) +
		       (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
	}
}

/* One round, on the state from a on.  Nothing is moved: the next round begins one word earlier. */
static inline void round_at(uint32_t v[8], unsigned a, uint32_t more)
{
	uint32_t *h = &v[(a + 7) & 7], *d = &v[(a + 3) & 7];
	uint32_t e = v[(a + 4) & 7], f = v[(a + 5) & 7], g = v[(a + 6) & 7];
	uint32_t x = v[a & 7], y = v[(a + 1) & 7], z = v[(a + 2) & 7];
	uint32_t first =
		*h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + more;

	*d += first;
	*h = first + (turn(x, 2) ^ turn(x, 13) ^ turn(x, 22)) + ((x & y) ^ (x & z) ^ (y & z));
}

static void blocks_plain(uint32_t h[8], const uint8_t *p, size_t n)
{
	uint32_t w[64], v[8];

	for (; n > 0; n--, p += 64) {
		schedule(w, p);
		memcpy(v, h, sizeof(v));
		for (unsigned i = 0; i < 64; i += 8) {
			round_at(v, 8, k[i] + w[i]);
			round_at(v, 7, k[i + 1] + w[i + 1]);
			round_at(v, 6, k[i + 2] + w[i + 2]);
			round_at(v, 5, k[i + 3] + w[i + 3]);
			round_at(v, 4, k[i + 4] + w[i + 4]);
			round_at(v, 3, k[i + 5] + w[i + 5]);
			round_at(v, 2, k[i + 6] + w[i + 6]);
			round_at(v, 1, k[i + 7] + w[i + 7]);
		}
		for (unsigned i = 0; i < 8; i++)
			h[i] += v[i];
	}
}

#if defined(__x86_64__)
#include <immintrin.h>

/* Four rounds with the message words m; state in place. */
__attribute__((target("sha,sse4.1"))) static inline void rounds4(__m128i *abef, __m128i *cdgh,
								 __m128i m, unsigned i)
{
	__m128i sum = _mm_add_epi32(m, _mm_loadu_si128((const __m128i *)(const void *)&k[i]));

	*cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, sum);
	*abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(sum, 0x0e));
}

__attribute__((target("sha,sse4.1"))) static void blocks_fast(uint32_t h[8], const uint8_t *p,
							      size_t n)
{
	const __m128i swap = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
	__m128i abef = _mm_set_epi32((int)h[0], (int)h[1], (int)h[4], (int)h[5]);
	__m128i cdgh = _mm_set_epi32((int)h[2], (int)h[3], (int)h[6], (int)h[7]);
	uint32_t out[8];

	for (; n > 0; n--, p += 64) {
		__m128i a = abef, c = cdgh, m[4];

		for (unsigned i = 0; i < 4; i++) {
			m[i] = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
			m[i] = _mm_shuffle_epi8(m[i], swap);
			rounds4(&abef, &cdgh, m[i], 4 * i);
		}
		for (unsigned i = 4; i < 16; i++) {
			__m128i *w = &m[i & 3], next = m[(i + 1) & 3];
			__m128i seven = _mm_alignr_epi8(m[(i + 3) & 3], m[(i + 2) & 3], 4);

			*w = _mm_add_epi32(_mm_sha256msg1_epu32(*w, next), seven);
			*w = _mm_sha256msg2_epu32(*w, m[(i + 3) & 3]);
			rounds4(&abef, &cdgh, *w, 4 * i);
		}
		abef = _mm_add_epi32(abef, a);
		cdgh = _mm_add_epi32(cdgh, c);
	}
	_mm_storeu_si128((__m128i *)(void *)out, abef);
	_mm_storeu_si128((__m128i *)(void *)(out + 4), cdgh);
	h[0] = out[3], h[1] = out[2], h[4] = out[1], h[5] = out[0];
	h[2] = out[7], h[3] = out[6], h[6] = out[5], h[7] = out[4];
}

#include <cpuid.h>

/* Asked of the processor: compilers do not all know the name of this feature. */
static int has_fast(void)
{
	unsigned a, b, c, d;

	return __builtin_cpu_supports("sse4.1") && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
	       (b >> 29 & 1);
}
#else
#define blocks_fast blocks_plain
static int has_fast(void)
{
	return 0;
}
#endif

void sha256_init_plain(struct sha256 *s)
{
	static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

	memcpy(s->h, first, sizeof(first));
	s->n = 0;
	s->blocks = blocks_plain;
}

void sha256_init(struct sha256 *s)
{
	sha256_init_plain(s);
	if (has_fast())
		s->blocks = blocks_fast;
}

void sha256_add(struct sha256 *s, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	size_t have = s->n & 63, part = 64 - have;

	if (n == 0)
		return;
	s->n += n;
	if (have != 0) {
		part = part < n ? part : n;
		memcpy(s->block + have, p, part);
		p += part;
		n -= part;
		if (have + part < 64)
			return;
		s->blocks(s->h, s->block, 1);
	}
	s->blocks(s->h, p, n / 64);
	memcpy(s->block, p + n / 64 * 64, n & 63);
}

void sha256_end(struct sha256 *s, uint8_t out[SHA256_BYTES])
{
	static const uint8_t pad[64] = { 0x80 };
	uint64_t bits = s->n * 8;
	uint8_t length[8];

	for (unsigned i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(s, pad, 1 + ((119 - (s->n & 63)) & 63));
	sha256_add(s, length, 8);
	for (unsigned i = 0; i < SHA256_BYTES; i++)
		out[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i & 3)));
}

void sha256_hex(const uint8_t sum[SHA256_BYTES], char out[SHA256_HEX])
{
	static const char digits[] = "0123456789abcdef";

	for (unsigned i = 0; i < SHA256_BYTES; i++) {
		out[2 * i] = digits[sum[i] >> 4];
		out[2 * i + 1] = digits[sum[i] & 15];
	}
	out[SHA256_HEX - 1] = 0;
}
