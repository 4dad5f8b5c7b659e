/*
 * Which accesses of a program as it is (--valgrind) can be no atomics of its source.
 *
 * A binary does not say: C11's relaxed, acquire and release loads and stores are plain moves, clang makes
 * `add $1, x' of a relaxed load and a relaxed store, and neither debug information nor the type of a
 * variable tells of __atomic_load_n(&plain).  So an access may be one unless it is seen to be none:
 *
 *	it ends memory, or its address is no multiple of its size
 *	it was done by a function of the C library on strings and memory, by the kernel, or in a copy
 *	it is part of an instruction that changes memory in place, without a lock prefix, of code that gcc
 *	has made, by its debug information: gcc moves atomics and does nothing else with them
 *
 * tests/cli/t2064-plain-moves.sh holds the last to the gcc at hand.
 */
#ifndef WITNESS_MOVES_H
#define WITNESS_MOVES_H

#include "base/common.h"

struct evidence;

/* The access at pos, of a trace with trace_info.code. */
bool moves_may_be_atomic(const struct evidence *ev, uint64_t pos);

/*
 * The same: does it read bytes that the program has not asked for?  The C library's functions read whole vectors and
 * leave what is none of their business.  (Those that the recorder stands in for do not, and their sites say so.)
 */
bool moves_may_be_more(const struct evidence *ev, uint64_t pos);

/*
 * The same, of a load of the program's own, against the access at `other': compilers read neighbours at once, members of a
 * structure of which the source has one, or would have looked at the second only if the first had another value.  They
 * may not write so.  So a load is taken at its word only where the other access has all of its bytes.
 */
bool moves_may_be_wider(const struct evidence *ev, uint64_t pos, uint64_t other);

#endif /* WITNESS_MOVES_H */
