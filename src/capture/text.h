/*
 * Text without stdio, in a buffer of fixed size: what does not fit is left out.  Not terminated.
 */
#ifndef CAPTURE_TEXT_H
#define CAPTURE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TEXT_ROOM 1000u

struct text {
	size_t n;
	char at[TEXT_ROOM];
};

static inline void text_add(struct text *t, const char *s)
{
	size_t n = strnlen(s, TEXT_ROOM - t->n);

	memcpy(t->at + t->n, s, n);
	t->n += n;
}

static inline void text_add_number(struct text *t, uint64_t x, unsigned base)
{
	char digits[24], *p = digits + sizeof(digits);

	*--p = '\0';
	do
		*--p = "0123456789abcdef"[x % base];
	while ((x /= base) != 0);
	text_add(t, p);
}

#endif /* CAPTURE_TEXT_H */
