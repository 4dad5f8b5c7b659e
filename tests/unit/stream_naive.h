/*
 * The orders behind hb, shb and wcp, and Eraser's rule, straight from their definitions: sets of
 * events as bits, closed until nothing changes.  Slow and plain; shares nothing with the engines.
 */
#ifndef TESTS_STREAM_NAIVE_H
#define TESTS_STREAM_NAIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "stream_run.h"

/* race[j]: the events before j that race with it. */
struct stream_races {
	uint64_t race[STREAM_EVENTS];
};

void naive_hb(const struct stream_run *r, struct stream_races *out);
void naive_shb(const struct stream_run *r, bool strict, struct stream_races *out);
void naive_wcp(const struct stream_run *r, struct stream_races *out);
/* The events that warn. */
uint64_t naive_eraser(const struct stream_run *r);

#endif /* TESTS_STREAM_NAIVE_H */
