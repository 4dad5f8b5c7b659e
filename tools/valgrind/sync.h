/*
 * Events about synchronisation.
 */
#ifndef VALGRIND_SYNC_H
#define VALGRIND_SYNC_H

#include "tool.h"

/* The library or the kernel reads or writes memory of the program, but for what is t's own. */
void sync_range(struct thread *t, uint32_t site, Bool write, Addr a, SizeT n);

/* A signal handler of the program begins to run, and ends; or is left by a jump, of which nobody tells. */
void sync_handler(struct thread *t, Bool other_stack);
void sync_handled(struct thread *t);

#endif /* VALGRIND_SYNC_H */
