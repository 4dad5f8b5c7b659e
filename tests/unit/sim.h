/*
 * Random small executions: threads on a tiny shared memory with a random
 * interleaver, each step recorded as the recorder would, into a trace_builder.
 *
 * What it exercises: racing accesses of all sizes, two-word accesses, ranges
 * that others get between, read-modify-writes, locks, blocks, reused stacks,
 * dropped reads (TRAILING), chunks closed anywhere, cuts taken while threads run.
 */
#ifndef TESTS_SIM_H
#define TESTS_SIM_H

#include <stdint.h>

struct builder;

#define SIM_BASE 0x10000u /* shared words */
#define SIM_WORDS 10
#define SIM_LOCKS 0x20000u /* two locks, 8 bytes apart */
#define SIM_HEAP 0x30000u  /* one block of SIM_HEAP_WORDS, allocated and freed */
#define SIM_HEAP_WORDS 4
#define SIM_BIG 0x40000u   /* one block off and on, ordered by the big chain */
#define SIM_STACK 0x50000u /* stacks of SIM_STACK_WORDS each */
#define SIM_STACK_WORDS 4
#define SIM_THREADS 4 /* at a time */

struct sim_result {
	uint64_t events; /* numbered */
	uint64_t late;
	uint32_t threads;
};

/* Runs about `steps' steps; the threads all end and the trace is finished. */
void sim_run(struct builder *b, uint64_t seed, unsigned steps, struct sim_result *out);

uint64_t sim_random(uint64_t *state);

/* Memory as a checker replays it, for every address above. */
struct sim_memory {
	struct {
		uint8_t byte[8];
		uint32_t tid;
		uint64_t tseq;
	} word[0x50000 / 8 + 64];
};
#define SIM_WORD(m, addr) (&(m)->word[((addr)-SIM_BASE) >> 3])

#endif /* TESTS_SIM_H */
