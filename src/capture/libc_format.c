/*
 * Formats of printf and scanf: which of the arguments point to what is printed, and what was stored
 * where.  sscanf and its relatives store their results unseen; so when the call has returned, the
 * format is parsed once more, and what it says was stored is logged as written.
 *
 * A format with numbered arguments is not parsed: what it prints or stores counts as read or written
 * by unseen code.
 */
#include <stdio.h>
#include <wchar.h>

#include "capture/libc_priv.h"

#define POINTERS 16 /* of one call; further ones are not logged */

struct conversion {
	unsigned stars;	 /* printf: numbers that come before; scanf: nothing is stored */
	size_t width;	 /* 0: none given */
	unsigned longs;	 /* l, or L, j, z, t, q: 1; ll: 2 */
	unsigned shorts; /* h: 1, hh: 2 */
	bool extended;	 /* L */
	bool makes;	 /* scanf, %ms: the string is allocated */
	char letter; /* '\0': the format ends, is not understood, or names arguments by number */
};

static const char *set_end(const char *f)
{
	f += *f == '^';
	f += *f == ']';
	f += strcspn(f, "]");
	return *f == ']' ? f + 1 : f;
}

/* The conversion whose % is before f; returns where the format goes on. */
static const char *conversion_take(const char *f, bool scans, struct conversion *c)
{
	*c = (struct conversion){ .letter = '\0' };
	for (; *f != '\0'; f++) {
		if (*f == '*')
			c->stars++;
		else if (*f >= '0' && *f <= '9')
			c->width = c->width * 10 + (size_t)(*f - '0');
		else if (*f == 'h')
			c->shorts++;
		else if (strchr("lLjztq", *f) != NULL)
			c->longs++;
		else if (scans && *f == 'm')
			c->makes = true;
		else if (strchr(scans ? "'I" : "#- +'I.", *f) == NULL)
			break;
		c->extended |= *f == 'L';
	}
	c->letter = *f == '$' ? '\0' : *f;
	if (c->letter == '\0')
		return f;
	return scans && c->letter == '[' ? set_end(f + 1) : f + 1;
}

static bool is_float(char letter)
{
	return strchr("aAeEfFgG", letter) != NULL;
}

/* ---- printf ---- */

/* Has the format a conversion that writes to memory? */
static bool stores(const char *f)
{
	while ((f = strchr(f, '%')) != NULL) {
		f += 1 + strspn(f + 1, "0123456789$#- +'I*.hlLqjzt");
		if (*f == 'n')
			return true;
		f += *f != '\0';
	}
	return false;
}

/* Takes the conversion's arguments off the list.  Returns what it prints from; NULL: it is no
 * pointer. */
static const void *printed_take(const struct conversion *c, va_list list)
{
	bool floats = is_float(c->letter), longs = c->longs != 0 || c->letter == 'p';

	for (unsigned i = 0; i < c->stars; i++)
		(void)va_arg(list, int);
	if (c->letter == 's' || c->letter == 'S' || c->letter == 'n')
		return va_arg(list, const void *);
	if (c->letter == '%' || c->letter == 'm')
		return NULL;
	if (floats && c->extended)
		(void)va_arg(list, long double);
	if (floats && !c->extended)
		(void)va_arg(list, double);
	if (!floats && longs)
		(void)va_arg(list, long);
	if (!floats && !longs)
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

		f = conversion_take(f + 1, false, &c);
		if (c.letter == '\0') {
			log_opaque(stores(format) ? 0 : FORMAT_OPAQUE_READS, NULL, 0);
			break;
		}
		given[n] = printed_take(&c, at);
		n += given[n] != NULL;
	}
	va_end(at);
	if (n != 0)
		log_opaque(stores(format) ? 0 : FORMAT_OPAQUE_READS, given, n);
}

/* ---- scanf ---- */

static size_t number_size(const struct conversion *c)
{
	return c->shorts >= 2 ? 1 : c->shorts == 1 ? 2 : c->longs != 0 ? 8 : 4;
}

static size_t text_size(const struct conversion *c, const void *p)
{
	bool wide = c->longs != 0 || c->letter == 'S' || c->letter == 'C';
	size_t one = wide ? sizeof(wchar_t) : 1;

	if (c->letter == 'c' || c->letter == 'C')
		return (c->width != 0 ? c->width : 1) * one;
	return ((wide ? wcslen(p) : strlen(p)) + 1) * one;
}

/* L is for long double; so is ll, in glibc. */
static size_t float_size(const struct conversion *c)
{
	return c->longs >= 2 || c->extended ? sizeof(long double)
	       : c->longs == 1		    ? sizeof(double)
					    : sizeof(float);
}

static void log_conversion(const struct conversion *c, void *p)
{
	if (strchr("diouxXn", c->letter) != NULL) {
		log_wrote(p, number_size(c));
	} else if (c->letter == 'p') {
		log_wrote(p, sizeof(void *));
	} else if (is_float(c->letter)) {
		log_wrote(p, float_size(c));
	} else {
		if (c->makes) {
			log_wrote(p, sizeof(char *));
			p = *(char **)p;
		}
		log_wrote(p, text_size(c, p));
	}
}

/* n: conversions that were made and counted.  A %n before the first that was not counts too. */
static void log_stored(const char *f, va_list list, int n)
{
	struct conversion c;

	while ((f = strchr(f, '%')) != NULL) {
		f = conversion_take(f + 1, true, &c);
		if (c.letter == '\0')
			return;
		if (c.letter == '%' || c.stars != 0)
			continue;
		if (c.letter != 'n' && n-- <= 0)
			return;
		log_conversion(&c, va_arg(list, void *));
	}
}

/*
 * A family of functions: of strings (by libc), of files (by our own stand-in, stream.c), of
 * standard input.  Each standard of C has given them other names; why they are said as symbols:
 * stream.c.
 */
#define SYMBOL(name) __asm__(name)
#define OURS(name) SYMBOL("foresee_libc_" name)

typedef int scan_string(const char *, const char *, va_list);
typedef int scan_file(FILE *, const char *, va_list);

#define FAMILY(id, prefix)                                                                       \
	EXPORT scan_string scan_vs_##id OURS(prefix "vsscanf");                                  \
	EXPORT int scan_s_##id(const char *, const char *, ...) OURS(prefix "sscanf");           \
	scan_file real_vf_##id SYMBOL(prefix "vfscanf");                                         \
	EXPORT scan_file scan_vf_##id OURS(prefix "vfscanf");                                    \
	EXPORT int scan_f_##id(FILE *, const char *, ...) OURS(prefix "fscanf");                 \
	EXPORT int scan_vi_##id(const char *, va_list) OURS(prefix "vscanf");                    \
	EXPORT int scan_i_##id(const char *, ...) OURS(prefix "scanf");                          \
                                                                                                 \
	int scan_vs_##id(const char *from, const char *format, va_list list)                     \
	{                                                                                        \
		log_string(from, SIZE_MAX);                                                      \
		SCANNED(REAL_SYMBOL(scan_string *, prefix "vsscanf", NULL)(from, format, list)); \
	}                                                                                        \
	int scan_vf_##id(FILE *from, const char *format, va_list list)                           \
	{                                                                                        \
		SCANNED(real_vf_##id(from, format, list));                                       \
	}                                                                                        \
	int scan_vi_##id(const char *format, va_list list)                                       \
	{                                                                                        \
		return scan_vf_##id(stdin, format, list);                                        \
	}                                                                                        \
	int scan_s_##id(const char *from, const char *format, ...)                               \
	{                                                                                        \
		return LISTED(format, scan_vs_##id(from, format, args));                         \
	}                                                                                        \
	int scan_f_##id(FILE *from, const char *format, ...)                                     \
	{                                                                                        \
		return LISTED(format, scan_vf_##id(from, format, args));                         \
	}                                                                                        \
	int scan_i_##id(const char *format, ...)                                                 \
	{                                                                                        \
		return LISTED(format, scan_vf_##id(stdin, format, args));                        \
	}

/* Of a function that takes a list: the call, and what it stored. */
#define SCANNED(call)                         \
	do {                                  \
		va_list again;                \
		int r;                        \
                                              \
		va_copy(again, list);         \
		r = call;                     \
		log_stored(format, again, r); \
		va_end(again);                \
		return r;                     \
	} while (0)

FAMILY(gnu, "")
FAMILY(c99, "__isoc99_")
FAMILY(c23, "__isoc23_")
