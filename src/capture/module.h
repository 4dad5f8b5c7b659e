/*
 * What the instrumented units bring along: sites, globals, functions.
 */
#ifndef CAPTURE_MODULE_H
#define CAPTURE_MODULE_H

#include "capture/common.h"

/* True when --only or --ignore patterns are in force. */
extern bool module_patterns;

/* Is recording of this site off by request?  Only when module_patterns. */
bool module_skips(uint32_t site);

/* One pattern, before the first module registers.  Shell-like: '*' and '?',
 * matched against variable, file, file's last part, and function. */
void module_pattern(const char *pattern, size_t n, bool only);
/* A unit comes: which of its sites are off?  One caller at a time. */
void module_mark(const struct foresee_module *m);

/* Is the function instrumented?  Is any unit in the image (program or library) whose mapping
 * begins at start? */
bool module_has_function(const void *f);
bool module_is_seen(const void *start);

/* Names.  Between lock and unlock no unit is unloaded, so what the lookups return stays valid;
 * NULL: no unit has it.  into: the site this one was inlined into, 0 none; may be NULL. */
void module_lock(void);
void module_unlock(void);
const struct foresee_site *module_site(uint32_t site, uint32_t *into);
const struct foresee_global *module_global(const void *p);
/* The one of that name and size; the same rules. */
const struct foresee_global *module_global_named(const char *name, uint64_t size);

/* From now on this is watched, in all units (hooks.h). */
void module_watch(const struct foresee_watch *watch);

/* In a forked child: frees the lock, which a thread of the parent may have held. */
void module_forked(void);

/* Units that registered before recording started: tell the trace about them. */
void module_start(void);

#endif /* CAPTURE_MODULE_H */
