/*
 * Formats of printf: which of the arguments point to what is printed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "capture/libc_priv.h"

#define POINTERS 16 /* of one call; further ones are not logged */

enum size { SIZE_INT, SIZE_LONG, SIZE_DOUBLE_LONG };

struct conversion {
	unsigned stars; /* numbers that come before */
	enum size size;
	char letter; /* '\0': the format ends, or names its arguments by number */
};

/* The conversion at f, which is behind its %; what follows it. */
static const char *conversion_parse(const char *f, struct conversion *c)
{
	*c = (struct conversion){ 0 };
	for (;; f++) {
		switch (*f) {
		case '*':
			c->stars++;
			continue;
		case 'l':
		case 'q':
		case 'j':
		case 'z':
		case 't':
			c->size = SIZE_LONG;
			continue;
		case 'L':
			c->size = SIZE_DOUBLE_LONG;
			continue;
		case '$':
		case '\0':
			return f;
		default:
			if (strchr("0123456789#- +'I.h", *f) != NULL)
				continue;
			c->letter = *f;
			return f + 1;
		}
	}
}

/* Takes the conversion's arguments off the list.  Returns what it prints from; NULL: it is no
 * pointer. */
static const void *conversion_take(const struct conversion *c, va_list list)
{
	bool is_float = libc_format_is_float(c->letter);

	for (unsigned i = 0; i < c->stars; i++)
		(void)va_arg(list, int);
	if (c->letter == 's' || c->letter == 'S' || c->letter == 'n')
		return va_arg(list, const void *);
	if (c->letter == '%' || c->letter == 'm')
		return NULL;
	if (is_float && c->size == SIZE_DOUBLE_LONG)
		(void)va_arg(list, long double);
	if (is_float && c->size != SIZE_DOUBLE_LONG)
		(void)va_arg(list, double);
	if (!is_float && (c->size != SIZE_INT || c->letter == 'p'))
		(void)va_arg(list, long);
	if (!is_float && c->size == SIZE_INT && c->letter != 'p')
		(void)va_arg(list, int);
	return NULL;
}

void libc_log_format(const char *format, va_list list)
{
	const void *given[POINTERS];
	const char *f = format;
	unsigned n = 0;
	va_list at;

	va_copy(at, list);
	while (n < POINTERS && (f = strchr(f, '%')) != NULL) {
		struct conversion c;

		f = conversion_parse(f + 1, &c);
		if (c.letter == '\0') {
			log_opaque(libc_format_stores(format) ? 0 : FORMAT_OPAQUE_READS, NULL, 0);
			break;
		}
		given[n] = conversion_take(&c, at);
		n += given[n] != NULL;
	}
	va_end(at);
	if (n != 0)
		log_opaque(libc_format_stores(format) ? 0 : FORMAT_OPAQUE_READS, given, n);
}
