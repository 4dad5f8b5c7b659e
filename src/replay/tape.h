/*
 * The events of a trace as a plan needs them, kept while somebody else reads it: who has to read all of it
 * before the order is known need not read it again.
 *
 * Memory: 72 bytes an event, and 16 for each version that a ranged access names.
 *
 * Ownership: a heap object; tape_free.
 */
#ifndef REPLAY_TAPE_H
#define REPLAY_TAPE_H

#include "trace/event.h"

struct tape;

struct tape *tape_new(void);
void tape_free(struct tape *t);

/* The next event of the trace. */
void tape_add(struct tape *t, const struct event *e);
/* The event at index i, from 0, with what collect.c asks for; pointers are good until the next call.
 * False: there are no more. */
bool tape_get(const struct tape *t, size_t i, struct event *e);

#endif /* REPLAY_TAPE_H */
