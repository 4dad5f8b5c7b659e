/*
 * For tests of the checker: evidence from a trace written as text, claims from lists of numbers.
 */
#ifndef TESTS_WITNESS_TEXT_H
#define TESTS_WITNESS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "witness/check.h"
#include "witness/evidence.h"

struct case_trace {
	struct trace *trace;
	struct evidence *ev;
	struct checker *checker;
};

/* Ends the test program when the text is no trace. */
void case_open(struct case_trace *t, const char *text, const struct evidence_options *opt);
void case_close(struct case_trace *t);

/* Numbers in a string, at most max; how many. */
size_t case_numbers(const char *s, uint64_t *out, size_t max);

#endif /* TESTS_WITNESS_TEXT_H */
