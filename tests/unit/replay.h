/*
 * Replays the order that a reader yields on a memory of the simulator (sim.h), where every version
 * named must be the current one and every value read the bytes there.
 */
#ifndef TESTS_REPLAY_H
#define TESTS_REPLAY_H

#include <stdint.h>

#include "sim.h"

struct event;

struct replay {
	struct sim_memory m;
	uint64_t tseq[4096]; /* last number of each thread */
	uint64_t events, late, unknown;
	uint32_t lock[2];
	char wrong[200]; /* first thing wrong */
};

/* The next event. */
void replay_event(struct replay *r, const struct event *e);

#endif /* TESTS_REPLAY_H */
