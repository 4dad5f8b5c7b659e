/*
 * Functions that are meant to be atomic, by their names: which events of a thread lie in a call of one.
 *
 * An event with EVENT_ENTERED is the first in an outermost such call, one with EVENT_LEFT the first after
 * it.  A call is known by the frames of the stack: where the recording does not say whether a frame is
 * still the same call it is taken for another one, so that no block is longer than the call was.  A
 * function that was inlined has no frames of its own and is not seen.
 *
 * Ownership: names are borrowed.
 */
#ifndef TRACE_ATOMIC_H
#define TRACE_ATOMIC_H

#include "base/texts.h"
#include "trace/event.h"

struct trace;

struct atomic_thread {
	uint32_t depth;	  /* of the outermost atomic call; 0: in none */
	uint32_t checked; /* frames whose functions were looked at */
};

struct atomic {
	const struct texts *names;
	VEC(struct atomic_thread) threads; /* by tid */
	VEC(uint8_t) sites;		   /* by site: SITE_* */
};

void atomic_release(struct atomic *a);
/* Sets EVENT_LEFT and EVENT_ENTERED of the next event of t. */
void atomic_mark(struct atomic *a, const struct trace *t, struct event *e);
/* The name of the outermost of them on a stack, with a site on top; NULL: none. */
const char *atomic_at(const struct atomic *a, const struct trace *t, uint32_t site, uint32_t stack);

#endif /* TRACE_ATOMIC_H */
