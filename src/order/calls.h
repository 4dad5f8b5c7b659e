/*
 * Which calls of functions events lie in: for each event how deep its stack is, and how much of that are
 * the same calls as at its thread's event before.
 *
 * Events have numbers 1, 2, ... in the order in which they are taken: the ids of a model of the same
 * reading.  Depths are cut at 255: what is deeper counts as called anew.
 *
 * Ownership: the caller owns the struct.
 */
#ifndef ORDER_CALLS_H
#define ORDER_CALLS_H

#include "base/common.h"
#include "trace/event.h"

struct model;
struct trace;

struct calls {
	VEC(uint8_t) depth, stayed; /* [0] unused */
	VEC(bool) inlined;	    /* the place is in a function that was inlined */
	uint32_t root;		    /* frames that every event of a thread has */
};

void calls_release(struct calls *c);
void calls_take(struct calls *c, const struct trace *t, const struct event *e);
/* The event lies in some other function than the one its thread began with. */
static inline bool calls_is_called(const struct calls *c, uint32_t e)
{
	return c->depth.at[e] > c->root || c->inlined.at[e];
}

/* The depth of the innermost call that two events of a thread lie in, a before b.  Far apart, it may be
 * too low. */
uint32_t calls_common(const struct calls *c, const struct model *m, uint32_t a, uint32_t b);

/* From a to b leads over the end of a loop: in the call that both lie in b's place was reached no later
 * than a's.  Of a long call the last events before a are looked at. */
bool calls_loop(const struct calls *c, const struct model *m, uint32_t a, uint32_t b);

#endif /* ORDER_CALLS_H */
