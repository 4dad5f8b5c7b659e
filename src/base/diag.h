/*
 * What went wrong, in words for a person.
 *
 * Functions that return enum status fill one; a command prints it.  The first
 * message stays: later ones are consequences.
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include "base/status.h"

struct diag {
	char message[2048]; /* empty: nothing to say */
};

/* Lower case, no full stop, problem first, then the place. */
void diag_set(struct diag *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same; returns st. */
enum status diag_fail(struct diag *d, enum status st, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void diag_clear(struct diag *d);

/* A broken invariant of our own: prints and aborts. */
_Noreturn void diag_bug(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define BUG(...) diag_bug(__FILE__, __LINE__, __VA_ARGS__)

#endif /* BASE_DIAG_H */
