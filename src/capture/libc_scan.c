/*
 * Scanning: what `sscanf' and its relatives store, they store unseen.  So the format is gone
 * through once more, and what it says was stored is logged as written, when the call has
 * returned.
 *
 * A format with numbered arguments is not gone through: what it stores remains unseen code's.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

#include "capture/libc_priv.h"
#include "capture/real.h"

typedef int scan_string(const char *, const char *, va_list);
typedef int scan_file(FILE *, const char *, va_list);

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
	switch (c->kind) {
	case 'd':
	case 'i':
	case 'o':
	case 'u':
	case 'x':
	case 'X':
	case 'n':
		log_wrote(p, number_size(c));
		return;
	case 'p':
		log_wrote(p, sizeof(void *));
		return;
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		log_wrote(p, float_size(c, end));
		return;
	default:
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

#define SYMBOL(name) __asm__(name)

/*
 * The function that takes a list, and the one that goes on as that one.  Their names are those
 * that the standards of C have given to them; why they are said as symbols: stream.c.
 */
#define SCANS(id, prefix, what, type, scan)                                \
	EXPORT int scan_v##id(type from, const char *format, va_list list) \
		SYMBOL("foresee_libc_" prefix "v" what);                   \
	EXPORT int scan_##id(type from, const char *format, ...)           \
		SYMBOL("foresee_libc_" prefix what);                       \
                                                                           \
	int scan_v##id(type from, const char *format, va_list list)        \
	{                                                                  \
		va_list again;                                             \
		int r;                                                     \
                                                                           \
		va_copy(again, list);                                      \
		r = scan(from, format, list);                              \
		log_stored(format, again, r);                              \
		va_end(again);                                             \
		return r;                                                  \
	}                                                                  \
	int scan_##id(type from, const char *format, ...)                  \
	{                                                                  \
		va_list list;                                              \
		int r;                                                     \
                                                                           \
		va_start(list, format);                                    \
		r = scan_v##id(from, format, list);                        \
		va_end(list);                                              \
		return r;                                                  \
	}

/* Strings: by libc. */
#define STRINGS(id, prefix)                                                     \
	static int string_##id(const char *s, const char *format, va_list list) \
	{                                                                       \
		static scan_string *real;                                       \
		scan_string *p = __atomic_load_n(&real, __ATOMIC_RELAXED);      \
                                                                                \
		if (p == NULL) {                                                \
			p = (scan_string *)real_find(prefix "vsscanf", NULL);   \
			__atomic_store_n(&real, p, __ATOMIC_RELAXED);           \
		}                                                               \
		log_string(s, SIZE_MAX);                                        \
		return p(s, format, list);                                      \
	}                                                                       \
	SCANS(s_##id, prefix, "sscanf", const char *, string_##id)

/* Files: by our own stand-in. */
#define FILES(id, prefix)                             \
	scan_file file_##id SYMBOL(prefix "vfscanf"); \
	SCANS(f_##id, prefix, "fscanf", FILE *, file_##id)

/* The same of standard input. */
#define INPUT(id, prefix)                                                                       \
	EXPORT int scan_vi_##id(const char *format, va_list list)                               \
		SYMBOL("foresee_libc_" prefix "vscanf");                                        \
	EXPORT int scan_i_##id(const char *format, ...) SYMBOL("foresee_libc_" prefix "scanf"); \
                                                                                                \
	int scan_vi_##id(const char *format, va_list list)                                      \
	{                                                                                       \
		return scan_vf_##id(stdin, format, list);                                       \
	}                                                                                       \
	int scan_i_##id(const char *format, ...)                                                \
	{                                                                                       \
		va_list list;                                                                   \
		int r;                                                                          \
                                                                                                \
		va_start(list, format);                                                         \
		r = scan_vi_##id(format, list);                                                 \
		va_end(list);                                                                   \
		return r;                                                                       \
	}

STRINGS(gnu, "")
STRINGS(c99, "__isoc99_")
STRINGS(c23, "__isoc23_")
FILES(gnu, "")
FILES(c99, "__isoc99_")
FILES(c23, "__isoc23_")
INPUT(gnu, "")
INPUT(c99, "__isoc99_")
INPUT(c23, "__isoc23_")
