/* Freed ranges against an array of bytes. */
#include <stdlib.h>
#include <string.h>

#include "order/freed.h"
#include "unit/tap.h"

#define SPACE 200

static bool holds(const bool *byte, uint64_t addr, uint64_t len)
{
	for (uint64_t i = 0; i < len; i++)
		if (byte[addr + i])
			return true;
	return false;
}

int main(void)
{
	struct freed f;
	bool byte[SPACE] = { 0 }, good = true;

	freed_init(&f);
	srand(5);
	for (int i = 0; i < 50000 && good; i++) {
		uint64_t addr = (uint64_t)rand() % SPACE, len = (uint64_t)rand() % (SPACE - addr);

		if (rand() % 3 == 0) {
			good = freed_has(&f, addr, len) == holds(byte, addr, len);
		} else if (rand() % 2) {
			freed_add(&f, addr, len);
			memset(byte + addr, true, len);
		} else {
			freed_remove(&f, addr, len);
			memset(byte + addr, false, len);
		}
	}
	TAP_OK(good, "random ranges");
	freed_add(&f, UINT64_MAX - 7, 8);
	TAP_OK(freed_has(&f, UINT64_MAX, 1), "the last byte there is");
	TAP_OK(!freed_has(&f, UINT64_MAX - 8, 1), "the one before the range is not in it");
	freed_release(&f);
	return tap_done();
}
