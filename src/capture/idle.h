/*
 * Threads of a program that is not recorded.  Instrumented code writes to what foresee_self points to in
 * any case; threads that share it take its cache line from each other, so new ones get one of a few.
 *
 * It may be that of another thread, for nobody reads what is written there.
 */
#ifndef CAPTURE_IDLE_H
#define CAPTURE_IDLE_H

#include "capture/create_priv.h"

/* What a new thread is to begin with, or NULL: as it would without us. */
struct create_start *idle_start(const struct create_call *c);
/* It will not run after all. */
void idle_drop(struct create_start *start);

/* In the new thread: is it one of these?  Then *s is a copy of *start, and foresee_self is set. */
bool idle_begin(struct create_start *start, struct create_start *s);

#endif /* CAPTURE_IDLE_H */
