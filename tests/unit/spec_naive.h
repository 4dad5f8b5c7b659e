/* Expressions of a spec over small numbers, evaluated without anything of src/monitor. */
#ifndef TESTS_SPEC_NAIVE_H
#define TESTS_SPEC_NAIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "spec/spec.h"

enum naive_truth { NAIVE_NO, NAIVE_YES, NAIVE_TROUBLE, NAIVE_DUNNO };

#define NAIVE_VARS 8

/* What variables hold, and whose event it was. */
struct naive_state {
	int small[NAIVE_VARS];
	bool known[NAIVE_VARS];
	uint32_t thread;
};

enum naive_truth naive_truth(const struct naive_state *s, const struct spec_expr *e);

#endif /* TESTS_SPEC_NAIVE_H */
