/*
 * Text without stdio, in a buffer of fixed size: what does not fit is left out.  Not terminated.
 */
#ifndef CAPTURE_TEXT_H
#define CAPTURE_TEXT_H

#include <stdarg.h>
#include <stddef.h>

#define TEXT_ROOM 1000u

struct text {
	size_t n;
	char at[TEXT_ROOM];
};

/* As printf, of which it knows %s, %lu and %lx. */
void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_list(struct text *t, const char *format, va_list args);

/* What comes behind the last sign, or all of s. */
const char *text_behind(const char *s, char sign);

#endif /* CAPTURE_TEXT_H */
