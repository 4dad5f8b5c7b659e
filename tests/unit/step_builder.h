/*
 * Steps written down by hand, for tests of what takes them.
 *
 *	struct step_builder b = { 0 };
 *	r = step_build_access(&b, 1, STEP_READ, 7);	thread 1 reads cell 7
 *	step_build(&b, 2, STEP_ACQ, 0);			thread 2 takes lock 0
 *	m = step_build_model(&b, &(struct model_options){ 0 });
 *
 * Thread t is chain t - 1.  Functions that make an event return its id, which is its position.
 * The step just made is step_build_last(): set what else it needs there.
 */
#ifndef TESTS_STEP_BUILDER_H
#define TESTS_STEP_BUILDER_H

#include <stdint.h>

#include "base/vec.h"
#include "order/model.h"
#include "order/step.h"

#define STEP_BUILDER_THREADS 300

struct step_builder {
	VEC(struct step) steps;
	VEC(uint32_t) cells;
	VEC(uint64_t) feeds;
	VEC(uint8_t) bytes;
	uint32_t pos;
	uint64_t tseq[STEP_BUILDER_THREADS];
};

void step_builder_release(struct step_builder *b);

struct step *step_build_last(struct step_builder *b);

uint32_t step_build(struct step_builder *b, uint32_t tid, enum step_op op, uint32_t obj);
/* A one-word access of one cell; more cells by step_build_cell. */
uint32_t step_build_access(struct step_builder *b, uint32_t tid, enum step_op op, uint32_t cell);
void step_build_cell(struct step_builder *b, uint32_t cell);
/* Where the last access lies; gives it as many numbers as it has words. */
void step_build_range(struct step_builder *b, uint64_t addr, uint32_t len);
/* The last event is fed by number tseq of its thread. */
void step_build_feed(struct step_builder *b, uint64_t tseq);
/* The last access's bytes, n of them (an RMW has twice its len). */
void step_build_bytes(struct step_builder *b, const void *bytes, uint32_t n);
/* A further step of the last event; SPLIT, DROP and FORGET too. */
struct step *step_build_more(struct step_builder *b, enum step_op op, uint32_t obj);
void step_build_split(struct step_builder *b, uint32_t cell, uint32_t other);

/* Everything in one batch. */
struct step_batch step_build_batch(const struct step_builder *b);
/* A finished model of it, given in batches of different sizes. */
struct model *step_build_model(const struct step_builder *b, const struct model_options *opt);

#endif /* TESTS_STEP_BUILDER_H */
