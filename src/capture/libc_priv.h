/*
 * What the stand-ins for library functions that touch the caller's memory are made of: whole
 * steps, one hook each.
 */
#ifndef CAPTURE_LIBC_PRIV_H
#define CAPTURE_LIBC_PRIV_H

#include "capture/range.h"
#include "capture/shared.h"
#include "capture/sync.h"

/* In a hook: the site of the call. */
#define SITE (t->view.call_site)

static inline void log_read(const void *p, size_t n)
{
	HOOK(t)
		range_read(t, p, NULL, n, SITE, false);
}

/* What calls in other threads change, and no write tells of. */
static inline void read_unsteady(const void *p, size_t n)
{
	HOOK(t)
		if (thread_was_forked()) {
			shared_unsteady(p, n);
			range_read(t, p, NULL, n, SITE, false);
		}
}

static inline void log_string(const char *s, size_t max)
{
	HOOK(t)
		range_string(t, s, max, SITE);
}

/* p may be NULL: the caller did not want that result. */
static inline void log_wrote(void *p, size_t n)
{
	if (p != NULL && n != 0)
		HOOK(t)
			range_wrote(t, p, n, SITE);
}

/* The call reads memory that the n pointers lead to, how much is not known; with aux 0 it writes
 * there too. */
static inline void log_opaque(unsigned aux, const void *const *given, unsigned n)
{
	HOOK(t)
		sync_opaque(t, SITE, aux, given, n);
}

/* Logs (OPAQUE) that printing by that format reads what its arguments point to, and writes for
 * %n. */
void libc_log_format(const char *format, va_list list);

/* Results are made in private memory and then stored, word by word, as a
 * recorded write: a racing read sees the old version or the new one. */
static inline void log_store(void *p, const void *bytes, size_t n)
{
	struct thread *t;

	if (p == NULL || n == 0)
		return;
	t = hook_enter();
	if (t == NULL) {
		memcpy(p, bytes, n);
		return;
	}
	range_write(t, p, bytes, n, SITE, NULL, 0);
	hook_leave(t);
}

/* A variadic function calls the one that takes a va_list, `args'; last: its last named
 * parameter. */
#define LISTED(last, call)            \
	({                            \
		va_list args;         \
		int r_;               \
                                      \
		va_start(args, last); \
		r_ = call;            \
		va_end(args);         \
		r_;                   \
	})

#endif /* CAPTURE_LIBC_PRIV_H */
