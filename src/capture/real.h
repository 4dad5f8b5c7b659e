/*
 * The functions we stand in for, as the next object in search order has them.
 *
 * REAL(name) is a pointer of the right type.  Looked up once; the lookup itself
 * may allocate, which heap.c is prepared for.
 */
#ifndef CAPTURE_REAL_H
#define CAPTURE_REAL_H

#include <stdbool.h>

#include "capture/hint.h"

/* version: a glibc symbol version ("GLIBC_2.3.2") or NULL for the default. */
void *real_find(const char *name, const char *version) COLD;

/* Is this thread inside real_find?  Then what it allocates must not need a lookup. */
bool real_is_finding(void);

/* A lookup; all of them lie in one section, without gaps, so that they can be done ahead. */
struct real_lookup {
	void *found; /* atomic; NULL: not yet, or there is none */
	const char *name, *version;
} __attribute__((aligned(32)));

/* Does all lookups, for a process that is forked again and again. */
void real_find_all(void);

#define REAL_SYMBOL(pointer, symbol, version)                                                \
	({                                                                                   \
		static __attribute__((section(                                               \
			"real_lookups"))) struct real_lookup l_ = { NULL, symbol, version }; \
		void *p_ = __atomic_load_n(&l_.found, __ATOMIC_RELAXED);                     \
		if (UNLIKELY(p_ == NULL)) {                                                  \
			p_ = real_find(symbol, version);                                     \
			__atomic_store_n(&l_.found, p_, __ATOMIC_RELAXED);                   \
		}                                                                            \
		(pointer) p_;                                                                \
	})
#define REAL_VERSIONED(name, version) REAL_SYMBOL(__typeof__(&name), #name, version)
#define REAL(name) REAL_VERSIONED(name, NULL)

/* For functions that signal handlers may call: a handler must not be the first to look one up.
 * Defines real_NAME(), a pointer of the right type. */
#define REAL_EARLY_VERSIONED(name, version)                                   \
	static __typeof__(&name) real_##name(void)                            \
	{                                                                     \
		return REAL_VERSIONED(name, version);                         \
	}                                                                     \
	static __attribute__((constructor(101))) void real_early_##name(void) \
	{                                                                     \
		real_##name();                                                \
	}
#define REAL_EARLY(name) REAL_EARLY_VERSIONED(name, NULL)

#define EXPORT __attribute__((visibility("default")))

/* Short and often called: all that it calls goes into it, but for what is declared cold. */
#define EXPORT_HOT EXPORT __attribute__((flatten))

#endif /* CAPTURE_REAL_H */
