/*
 * What a recording says was given to the program of what is another thing in every run, as its readers
 * come by it: those of one thread in their order.
 *
 * Ownership: inputs_release.
 */
#ifndef RECORDING_INPUTS_H
#define RECORDING_INPUTS_H

#include "trace/trace.h"

struct inputs {
	VEC(struct trace_input) at;
	VEC(uint8_t) bytes;
};

/* A copy of in, with in->n bytes. */
void inputs_add(struct inputs *to, const struct trace_input *in, const uint8_t *bytes);
void inputs_release(struct inputs *in);

#endif /* RECORDING_INPUTS_H */
