/*
 * Turns at locks, conditions, barriers and so on, along an order: which events of theirs must come
 * before the next one.
 *
 *	acquire			the last release, in either mode
 *	acquire to read		the last release of a writer
 *	failed try		the acquire of who holds it; whose release comes after the try
 *	park, signal, broadcast, semaphores	what the object saw last
 *	wake			its signal
 *	once			the end of the routine
 *	barrier in		everybody of the round before is in
 *	making and end		everything before
 *
 * Ownership: the caller owns the struct, zeroed at first; turns_release frees what it holds.
 */
#ifndef REPLAY_TURNS_H
#define REPLAY_TURNS_H

#include "base/common.h"

struct draft;
struct memory_found;

/* A try that failed because of a thread. */
struct turns_try {
	uint32_t item, holder;
};

struct turns_object {
	uint32_t
		last; /* conditions, semaphores, once; locks: the release of a writer, or its making */
	uint32_t writer;       /* locks: the acquire of who holds it */
	uint32_t depth;	       /* of that one */
	uint32_t round;	       /* barriers */
	uint32_t left;	       /* of this round: one that is out again */
	uint32_t out;	       /* the same of the round before */
	VEC(uint32_t) readers; /* acquires; barriers: who is in, of this round */
	VEC(uint32_t)
	released; /* by readers, since `last'; barriers: who was in, of the one before */
	VEC(struct turns_try) tries;
};

struct turns {
	struct map at; /* address and life: which one */
	VEC(struct turns_object) all;
};

void turns_release(struct turns *t);

/* The item, a synchronisation, comes; what it must come after is added to `found'. */
void turns_find(struct turns *t, const struct draft *d, uint32_t item, struct memory_found *found);
/* BAR_OUT: those whose coming has let it out, DRAFT_NONE at the end. */
uint32_t turns_entered(const struct turns *t, const struct draft *d, uint32_t item, size_t i);

#endif /* REPLAY_TURNS_H */
