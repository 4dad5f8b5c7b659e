/*
 * What the families of annotations have in common: <foresee.h> (annotate.c), those of the thread
 * sanitizer (annotate_tsan.c) and the older Annotate* (annotate_dynamic.c).
 *
 * Each function is a hook of its own, and does nothing while nothing is recorded.
 */
#ifndef CAPTURE_ANNOTATE_H
#define CAPTURE_ANNOTATE_H

#include <stdint.h>

void annotate_thread(const char *name);

/* USER: aux FORMAT_USER_*.  name NULL: "". */
void annotate_user(unsigned aux, const char *name, const uint64_t *args, unsigned nargs);
/* USER about memory. */
void annotate_range(unsigned aux, const char *name, const volatile void *address, uint64_t size);

/* kind: FORMAT_K_GIVE or FORMAT_K_TAKE. */
void annotate_channel(unsigned kind, const volatile void *channel);

/* kind: FORMAT_K_ACQ and the like; flags: FORMAT_LOCK_TRY, FORMAT_LOCK_RECURSIVE. */
void annotate_lock(unsigned kind, const volatile void *lock, unsigned flags);
/* How many times the calling thread holds it for writing, as far as is known. */
uint32_t annotate_levels(const volatile void *lock);

#endif /* CAPTURE_ANNOTATE_H */
