/*
 * What variables of a spec hold, byte by byte, and what its expressions come to: the checker's own
 * reading of doc/SPECS.md ("Values"), so that an error of the monitors is not repeated here.
 *
 * Threads: none of it keeps anything.
 */
#ifndef WITNESS_VALUE_H
#define WITNESS_VALUE_H

#include "spec/spec.h"

/* In memory order; bit i of known: byte i is. */
struct value {
	uint8_t byte[8];
	uint8_t known;
};

/* NONE: it has no value, by an error.  OPEN: it has one that nobody knows. */
enum value_truth { VALUE_FALSE, VALUE_TRUE, VALUE_NONE, VALUE_OPEN };

/* thread: what `tid' is, 0 in the initial state.  *why (may be NULL) is set when it is NONE or OPEN:
 * in words, static. */
enum value_truth value_truth(const struct spec *s, const struct spec_expr *e,
			     const struct value *values, uint32_t thread, const char **why);

/* The number as a variable of this type; false: it does not fit. */
bool value_of(const struct spec_type *type, const struct spec_number *n, struct value *out);
/* The variable as a number; false: not all bytes are known. */
bool value_number(const struct spec_type *type, const struct value *v, struct spec_number *out);

#endif /* WITNESS_VALUE_H */
