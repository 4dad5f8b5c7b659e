/* Natural numbers of any size: counts of runs.  A zeroed struct is 0. */
#ifndef BASE_BIG_H
#define BASE_BIG_H

#include "base/common.h"

struct big {
	VEC(uint64_t) limb; /* least first; no zero at the top */
};

void big_release(struct big *b);
void big_copy(struct big *into, const struct big *from);
/* n limbs, least first. */
void big_set_limbs(struct big *b, const uint64_t *limbs, uint32_t n);
void big_add(struct big *into, const struct big *from);
bool big_fits(const struct big *b, uint64_t *out);
/* Decimal. */
void big_print(const struct big *b, struct strbuf *out);

#endif /* BASE_BIG_H */
