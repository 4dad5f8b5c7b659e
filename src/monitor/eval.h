/*
 * Expressions of a spec over values: exact integers, doubles where one is involved.
 *
 * Integers are those of mathematics, whatever the types of the variables: -1 < 1u holds.  What no
 * 64-bit type can hold, signed or unsigned, is an error, and so is a division by zero, of doubles
 * too.  Division truncates as in C.  Comparisons with NaN are as in C.
 */
#ifndef MONITOR_EVAL_H
#define MONITOR_EVAL_H

#include "monitor/monitor.h"

enum eval_truth { EVAL_FALSE, EVAL_TRUE, EVAL_ERROR, EVAL_UNKNOWN };

/* e is a truth value.  thread: for `tid'; 0 in the initial state, which is nobody's doing. */
enum eval_truth eval_truth(const struct spec *s, const struct spec_expr *e,
			   const struct monitor_value *values, uint32_t thread);
/* Why it has no value, or none that is known: "division by zero in x / y, line 3". */
void eval_explain(const struct spec *s, const struct spec_expr *e,
		  const struct monitor_value *values, uint32_t thread, struct strbuf *out);

/* Raw bytes of a number as a variable of this type; false: it does not fit. */
bool eval_raw(const struct spec_type *type, const struct spec_number *number, uint64_t *raw);

/* All bytes are known. */
bool eval_is_known(const struct spec_type *type, const struct monitor_value *v);
/* What the bytes are as a variable of this type: an integer, or a double. */
struct spec_number eval_number(const struct spec_type *type, uint64_t raw);

/* A value as a C programmer reads it: -1, 3.5, 0x7f..., '?'. */
void eval_print(const struct spec_type *type, const struct monitor_value *v, struct strbuf *out);

#endif /* MONITOR_EVAL_H */
