/*
 * The program's heap, while an explorer has a say: it is to be the same in every run, whether a thread is
 * made by the library or is a fiber, with a trace or without.
 */
#ifndef CAPTURE_HEAP_H
#define CAPTURE_HEAP_H

#include <stdbool.h>

/* One arena, with room that needs no system call.  Before the program runs. */
void heap_steady(void);
/* What the calling thread allocates from now on, or no more, is the library's own and comes from elsewhere;
 * it is never given back. */
void heap_aside(bool on);

#endif /* CAPTURE_HEAP_H */
