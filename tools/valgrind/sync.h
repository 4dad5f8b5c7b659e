/*
 * Events about synchronisation.
 */
#ifndef VALGRIND_SYNC_H
#define VALGRIND_SYNC_H

#include "tool.h"

/* The channel that all calls of the kernel have: a word where no program has memory. */
#define SYNC_CHANNEL 0x1000u

/* The library or the kernel reads or writes memory of the program, but for what is t's own. */
void sync_range(struct thread *t, uint32_t site, Bool write, Addr a, SizeT n);

#endif /* VALGRIND_SYNC_H */
