/*
 * Small random runs for the engines that follow a run step by step, as steps and, beside them, as
 * plain facts about each event for the relations of stream_naive.h.
 *
 * Words of eight bytes are accessed in parts, freed and used again, so cells split and go; locks
 * have two modes; chains end and are used again by other threads.
 */
#ifndef TESTS_STREAM_RUN_H
#define TESTS_STREAM_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "step_builder.h"

#define STREAM_EVENTS 48
#define STREAM_TIDS 10
#define STREAM_CHAINS 5

struct stream_event {
	uint8_t op; /* enum step_op */
	uint32_t tid, chain;
	uint32_t obj;	/* lock, channel, other chain */
	uint32_t life;	/* accesses: which word, anew after each free; from 1 */
	uint8_t bytes;	/* of the word */
	uint16_t flags; /* STEP_* */
	uint64_t feeds; /* bits of events */
};

struct stream_run {
	uint32_t n;
	struct stream_event at[STREAM_EVENTS];
	struct step_builder steps;
};

struct stream_shape {
	bool atomics, facts, stops; /* with atomic accesses and fences; free reads; STOP, TAINTED */
	bool shared;		    /* read-write locks */
	bool blocks;		    /* BEGIN, END, PARK */
	uint32_t events;	    /* at most STREAM_EVENTS */
};

void stream_run_make(struct stream_run *r, const struct stream_shape *shape, uint64_t *seed);
void stream_run_release(struct stream_run *r);
void stream_run_print(const struct stream_run *r);

#endif /* TESTS_STREAM_RUN_H */
