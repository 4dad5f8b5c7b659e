/*
 * What a value is compared with, where that is all that matters of it.
 *
 * A branch on `balance >= 30' depends on what it read only by the outcome.  So a read that other
 * code looks at by comparisons with constants alone may see another value, as long as each of them comes
 * out as observed (doc/DEPENDENCY_FACTS.md, "Comparisons").
 *
 *	outcome = cmp(low `bits' of (value & mask), `with')
 *
 * The value is the number that the bytes of the read are, little-endian; it has at most 8 of them.
 * The comparison is of numbers of `bits' bits, signed or not.  There is no function here that
 * evaluates one: the engines have theirs (order/model_test.c), the checker has its own.
 *
 * Text: CMP ':' NUMBER [ '/' BITS ] [ '&' MASK ], as in "ge:30", "ult:16/8", "ne:0&4".  Without BITS all
 * of the read is compared.
 */
#ifndef TRACE_PREDICATE_H
#define TRACE_PREDICATE_H

#include "base/common.h"

#define PREDICATE_CMPS(X) \
	X(EQ, "eq")       \
	X(NE, "ne")       \
	X(LT, "lt")       \
	X(LE, "le")       \
	X(GT, "gt")       \
	X(GE, "ge")       \
	X(ULT, "ult")     \
	X(ULE, "ule")     \
	X(UGT, "ugt")     \
	X(UGE, "uge")

enum predicate_cmp {
#define X(id, name) PREDICATE_##id,
	PREDICATE_CMPS(X)
#undef X
		PREDICATE_NCMPS
};

struct predicate {
	uint64_t with; /* its low `bits' bits count */
	uint64_t mask;
	uint32_t feed; /* of a USE: which of its feeds is compared */
	uint8_t cmp;   /* enum predicate_cmp */
	uint8_t bits;  /* 1 .. 64; 0: all that was read */
};

/* Takes one from *at on, which moves behind it.  NULL, or what is wrong at *at. */
const char *predicate_parse(const char **at, const char *end, struct predicate *out);
void predicate_format(const struct predicate *p, struct strbuf *out);

#endif /* TRACE_PREDICATE_H */
