/*
 * Scanning: sscanf and its relatives store their results unseen.  So when the call has returned,
 * the format is parsed once more, and what it says was stored is logged as written.
 *
 * A format with numbered arguments is not parsed: what it stores counts as written by unseen code.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

#include "capture/libc_priv.h"
#include "capture/real.h"

/* One conversion. */
struct conversion {
	size_t width;	 /* 0: none given */
	bool skips;	 /* %*d: nothing is stored */
	bool makes;	 /* %ms: the string is allocated */
	unsigned longs;	 /* l, or L, j, z, t, q: 1; ll: 2 */
	unsigned shorts; /* h: 1, hh: 2 */
	char kind;	 /* its letter; 0: the format ends, or is not understood */
};

static const char *set_end(const char *f)
{
	if (*f == '^')
		f++;
	if (*f == ']')
		f++;
	while (*f != '\0' && *f != ']')
		f++;
	return *f == ']' ? f + 1 : f;
}

/* The conversion whose % is before f; returns where the format goes on. */
static const char *conversion_take(const char *f, struct conversion *c)
{
	*c = (struct conversion){ .width = 0 };
	for (;; f++) {
		if (*f == '*')
			c->skips = true;
		else if (*f == 'm')
			c->makes = true;
		else if (*f >= '0' && *f <= '9')
			c->width = c->width * 10 + (size_t)(*f - '0');
		else if (*f == 'h')
			c->shorts++;
		else if (*f == 'l' || *f == 'L' || *f == 'j' || *f == 'z' || *f == 't' || *f == 'q')
			c->longs++;
		else if (*f != '\'' && *f != 'I')
			break;
	}
	c->kind = *f == '$' ? '\0' : *f;
	if (c->kind == '\0')
		return f;
	return c->kind == '[' ? set_end(f + 1) : f + 1;
}

static size_t number_size(const struct conversion *c)
{
	return c->shorts >= 2 ? 1 : c->shorts == 1 ? 2 : c->longs != 0 ? 8 : 4;
}

static size_t text_size(const struct conversion *c, const void *p)
{
	bool wide = c->longs != 0 || c->kind == 'S' || c->kind == 'C';
	size_t one = wide ? sizeof(wchar_t) : 1;

	if (c->kind == 'c' || c->kind == 'C')
		return (c->width != 0 ? c->width : 1) * one;
	return ((wide ? wcslen(p) : strlen(p)) + 1) * one;
}

/* L is for long double; so is ll, in glibc. */
static size_t float_size(const struct conversion *c, const char *end)
{
	return c->longs >= 2 || end[-2] == 'L' ? sizeof(long double)
	       : c->longs == 1		       ? sizeof(double)
					       : sizeof(float);
}

static void log_conversion(const struct conversion *c, const char *end, void *p)
{
	if (strchr("diouxXn", c->kind) != NULL) {
		log_wrote(p, number_size(c));
	} else if (c->kind == 'p') {
		log_wrote(p, sizeof(void *));
	} else if (libc_format_is_float(c->kind)) {
		log_wrote(p, float_size(c, end));
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

	while (*f != '\0') {
		if (*f++ != '%')
			continue;
		f = conversion_take(f, &c);
		if (c.kind == '\0')
			return;
		if (c.kind == '%' || c.skips)
			continue;
		if (c.kind != 'n' && n-- <= 0)
			return;
		log_conversion(&c, f, va_arg(list, void *));
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
