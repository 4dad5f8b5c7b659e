/*
 * Who has touched which bytes, along an order: the last writes, and the reads since.
 *
 * Ownership: the caller owns the struct.
 */
#ifndef REPLAY_MEMORY_H
#define REPLAY_MEMORY_H

#include "base/common.h"

struct draft;

struct memory_touch {
	uint32_t item, next;
	uint8_t mask; /* bytes of the word */
	bool write;
};

struct memory {
	struct map words; /* word and life: its first touch */
	VEC(struct memory_touch) touches;
	uint32_t unused;
};

struct memory_found {
	VEC(uint32_t) at; /* events */
};

void memory_init(struct memory *m);
void memory_release(struct memory *m);

/* The item comes; what it must come after is added to `found', some of it perhaps more than once.
 * noted: later writes must come after the read. */
void memory_read(struct memory *m, const struct draft *d, uint32_t item, bool noted,
		 struct memory_found *found);
void memory_write(struct memory *m, const struct draft *d, uint32_t item,
		  struct memory_found *found);

/* The last write to the byte; DRAFT_NONE: none in the order. */
uint32_t memory_writer(const struct memory *m, uint32_t life, uint64_t addr);

#endif /* REPLAY_MEMORY_H */
