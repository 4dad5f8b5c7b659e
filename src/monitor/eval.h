/* Expressions of a spec over values: exact integers, doubles where one is involved. */
#ifndef MONITOR_EVAL_H
#define MONITOR_EVAL_H

#include <stdint.h>

#include "monitor/monitor.h"

enum eval_truth { EVAL_FALSE, EVAL_TRUE, EVAL_ERROR, EVAL_UNKNOWN };

/* e is a truth value.  thread: for `tid'. */
enum eval_truth eval_truth(const struct spec *s, const struct spec_expr *e,
			   const struct monitor_value *values, uint32_t thread);

/* Raw bytes of a number as a variable of this type; false: it does not fit. */
bool eval_raw(const struct spec_type *type, const struct spec_number *number, uint64_t *raw);

struct strbuf;
/* A value as a C programmer reads it: -1, 3.5, 0x7f..., '?'. */
void eval_print(const struct spec_type *type, const struct monitor_value *v, struct strbuf *out);

#endif /* MONITOR_EVAL_H */
