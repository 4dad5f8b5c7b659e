/*
 * SHA-256: the known answers of the standard and its companions, each in one piece and in
 * many; the processor's instructions against plain C on random bytes.
 */
#include <stdlib.h>

#include "base/sha256.h"
#include "tap.h"

typedef void (*init_fn)(struct sha256 *s);

static void sum(init_fn init, const void *bytes, size_t n, size_t step, char hex[SHA256_HEX])
{
	const uint8_t *p = bytes;
	uint8_t out[SHA256_BYTES];
	struct sha256 s;

	init(&s);
	for (size_t i = 0; i < n; i += step)
		sha256_add(&s, p + i, n - i < step ? n - i : step);
	sha256_end(&s, out);
	sha256_hex(out, hex);
}

static void known(const char *text, size_t n, const char *want)
{
	char hex[SHA256_HEX];

	sum(sha256_init, text, n, n + 1, hex);
	TAP_STR(hex, want, "%zu bytes", n);
	sum(sha256_init_plain, text, n, n + 1, hex);
	TAP_STR(hex, want, "%zu bytes in plain C", n);
	sum(sha256_init, text, n, 7, hex);
	TAP_STR(hex, want, "%zu bytes, seven at a time", n);
}

static void test_known(void)
{
	static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	char *million = malloc(1000000);

	known("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	known("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	known(two, 56, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	memset(million, 'a', 1000000);
	known(million, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(million);
}

/* Lengths around the block, where padding goes into one block or two. */
static void test_agree(void)
{
	uint8_t bytes[300];
	unsigned bad = 0;

	srand(5);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)rand();
	for (size_t n = 0; n <= sizeof(bytes); n++) {
		char fast[SHA256_HEX], plain[SHA256_HEX], pieces[SHA256_HEX];

		sum(sha256_init, bytes, n, n + 1, fast);
		sum(sha256_init_plain, bytes, n, n + 1, plain);
		sum(sha256_init, bytes, n, 1 + n % 67, pieces);
		bad += strcmp(fast, plain) != 0 || strcmp(fast, pieces) != 0;
	}
	TAP_EQ(bad, 0, "both ways and any pieces agree, 0 to 300 bytes");
}

int main(void)
{
	test_known();
	test_agree();
	return tap_done();
}
