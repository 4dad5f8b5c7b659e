/*
 * Functions on strings and memory, in the place of the C library's, byte by byte or word by word.
 *
 * The library's read more than they are asked for, whole vectors: what lies behind a string belongs to somebody else.
 * Here a byte is read because the result depends on it.  They lie in a section of their own, and
 * what they do is done by their caller.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "requests.h"

#define SECTION __attribute__((section("foresee_strings"), noinline))
#define AS(f) I_REPLACE_SONAME_FNNAME_ZU(libcZdsoZa, f)
#define STAND_IN(type, f, ...)   \
	type AS(f)(__VA_ARGS__); \
	SECTION type AS(f)(__VA_ARGS__)

extern char __start_foresee_strings[], __stop_foresee_strings[];

static __attribute__((constructor)) void strings_tell(void)
{
	(void)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, REQUEST_STRINGS, __start_foresee_strings,
					      __stop_foresee_strings, 0, 0, 0);
}

/* ---- lengths and searches ---- */

#define STRLEN(f, type)                    \
	STAND_IN(size_t, f, const type *s) \
	{                                  \
		size_t n = 0;              \
                                           \
		while (s[n])               \
			n++;               \
		return n;                  \
	}
STRLEN(strlen, char)
STRLEN(wcslen, wchar_t)

#define STRNLEN(f, type)                                \
	STAND_IN(size_t, f, const type *s, size_t most) \
	{                                               \
		size_t n = 0;                           \
                                                        \
		while (n < most && s[n])                \
			n++;                            \
		return n;                               \
	}
STRNLEN(strnlen, char)
STRNLEN(wcsnlen, wchar_t)

#define STRCHR(f, type, what, missing)             \
	STAND_IN(type *, f, const type *s, what c) \
	{                                          \
		for (; *s != (type)c; s++)         \
			if (!*s)                   \
				return missing;    \
		return (type *)s;                  \
	}
STRCHR(strchr, char, int, NULL)
STRCHR(index, char, int, NULL)
STRCHR(strchrnul, char, int, (char *)s)
STRCHR(wcschr, wchar_t, wchar_t, NULL)

#define STRRCHR(f, type, what)                       \
	STAND_IN(type *, f, const type *s, what c)   \
	{                                            \
		const type *last = NULL;             \
                                                     \
		for (;; s++) {                       \
			if (*s == (type)c)           \
				last = s;            \
			if (!*s)                     \
				return (type *)last; \
		}                                    \
	}
STRRCHR(strrchr, char, int)
STRRCHR(rindex, char, int)
STRRCHR(wcsrchr, wchar_t, wchar_t)

STAND_IN(void *, memchr, const void *at, int c, size_t n)
{
	const uint8_t *p = at;

	for (; n > 0; n--, p++)
		if (*p == (uint8_t)c)
			return (void *)p;
	return NULL;
}

STAND_IN(void *, memrchr, const void *at, int c, size_t n)
{
	const uint8_t *p = (const uint8_t *)at + n;

	while (n-- > 0)
		if (*--p == (uint8_t)c)
			return (void *)p;
	return NULL;
}

STAND_IN(void *, rawmemchr, const void *at, int c)
{
	const uint8_t *p = at;

	while (*p != (uint8_t)c)
		p++;
	return (void *)p;
}

STAND_IN(wchar_t *, wmemchr, const wchar_t *s, wchar_t c, size_t n)
{
	for (; n > 0; n--, s++)
		if (*s == c)
			return (wchar_t *)s;
	return NULL;
}

static inline __attribute__((always_inline)) bool is_one_of(char c, const char *set)
{
	while (*set && *set != c)
		set++;
	return *set != 0;
}

/* How far s has only such characters as are in the set, or only others. */
static inline __attribute__((always_inline)) size_t span(const char *s, const char *set, bool in)
{
	size_t n = 0;

	while (s[n] && is_one_of(s[n], set) == in)
		n++;
	return n;
}

STAND_IN(size_t, strspn, const char *s, const char *set)
{
	return span(s, set, true);
}

STAND_IN(size_t, strcspn, const char *s, const char *set)
{
	return span(s, set, false);
}

STAND_IN(char *, strpbrk, const char *s, const char *set)
{
	s += span(s, set, false);
	return *s ? (char *)s : NULL;
}

STAND_IN(char *, strstr, const char *s, const char *what)
{
	for (;; s++) {
		size_t n = 0;

		while (what[n] && s[n] == what[n])
			n++;
		if (!what[n])
			return (char *)s;
		if (!s[n])
			return NULL;
	}
}

/* ---- comparisons ---- */

#define SIGN(a, b) (((a) > (b)) - ((a) < (b)))

#define WCSNCMP(f, most, n, stops)                                \
	STAND_IN(int, f, const wchar_t *a, const wchar_t *b most) \
	{                                                         \
		for (size_t left = n; left > 0; left--, a++, b++) \
			if (*a != *b || (stops && !*a))           \
				return SIGN(*a, *b);              \
		return 0;                                         \
	}
#define MOST , size_t n
WCSNCMP(wcscmp, , SIZE_MAX, true)
WCSNCMP(wcsncmp, MOST, n, true)
WCSNCMP(wmemcmp, MOST, n, false)

#define STRCASECMP(f, params, n, lower)                                  \
	STAND_IN(int, f, const char *a, const char *b params)            \
	{                                                                \
		for (size_t left = n; left > 0; left--, a++, b++) {      \
			int d = lower((uint8_t)*a) - lower((uint8_t)*b); \
                                                                         \
			if (d != 0 || !*a)                               \
				return d;                                \
		}                                                        \
		return 0;                                                \
	}
#define LOCALE , locale_t locale
#define IN_LOCALE(c) tolower_l(c, locale)
#define MOST_LOCALE , size_t n, locale_t locale
STRCASECMP(strcasecmp, , SIZE_MAX, tolower)
STRCASECMP(strncasecmp, MOST, n, tolower)
STRCASECMP(strcasecmp_l, LOCALE, SIZE_MAX, IN_LOCALE)
STRCASECMP(strncasecmp_l, MOST_LOCALE, n, IN_LOCALE)
STRCASECMP(__strcasecmp_l, LOCALE, SIZE_MAX, IN_LOCALE)
STRCASECMP(__strncasecmp_l, MOST_LOCALE, n, IN_LOCALE)

STAND_IN(int, strcmp, const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (uint8_t)*a - (uint8_t)*b;
}

STAND_IN(int, strncmp, const char *a, const char *b, size_t n)
{
	for (; n > 0; n--, a++, b++)
		if (*a != *b || !*a)
			return (uint8_t)*a - (uint8_t)*b;
	return 0;
}

#define MEMCMP(f)                                                \
	STAND_IN(int, f, const void *x, const void *y, size_t n) \
	{                                                        \
		const uint8_t *a = x, *b = y;                    \
                                                                 \
		for (; n > 0; n--, a++, b++)                     \
			if (*a != *b)                            \
				return *a - *b;                  \
		return 0;                                        \
	}
MEMCMP(memcmp)
MEMCMP(bcmp)

/* ---- copies ---- */

static inline __attribute__((always_inline)) void copy(void *into, const void *from, size_t n)
{
	uint8_t *to = into;
	const uint8_t *at = from;

	if ((((uintptr_t)to ^ (uintptr_t)at) & 7) == 0) {
		for (; n > 0 && ((uintptr_t)to & 7) != 0; n--)
			*to++ = *at++;
		for (; n >= 8; n -= 8, to += 8, at += 8)
			*(uint64_t *)to = *(const uint64_t *)at;
	}
	while (n-- > 0)
		*to++ = *at++;
}

static inline __attribute__((always_inline)) void move(void *into, const void *from, size_t n)
{
	uint8_t *to = (uint8_t *)into + n;
	const uint8_t *at = (const uint8_t *)from + n;

	if ((uintptr_t)into - (uintptr_t)from >= n) {
		copy(into, from, n);
		return;
	}
	if ((((uintptr_t)to ^ (uintptr_t)at) & 7) == 0) {
		for (; n > 0 && ((uintptr_t)to & 7) != 0; n--)
			*--to = *--at;
		for (; n >= 8; n -= 8) {
			to -= 8;
			at -= 8;
			*(uint64_t *)to = *(const uint64_t *)at;
		}
	}
	while (n-- > 0)
		*--to = *--at;
}

#define MEMCPY(f, answer, params)                                        \
	STAND_IN(void *, f, void *to, const void *from, size_t n params) \
	{                                                                \
		move(to, from, n);                                       \
		return answer;                                           \
	}
#define NONE
#define BOUND , size_t most __attribute__((unused))
MEMCPY(memcpyZa, to, NONE)
MEMCPY(memmove, to, NONE)
MEMCPY(mempcpy, (char *)to + n, NONE)
MEMCPY(ZuZumemcpyZuchk, to, BOUND)
MEMCPY(ZuZumemmoveZuchk, to, BOUND)
MEMCPY(ZuZumempcpyZuchk, (char *)to + n, BOUND)

#define MEMSET(f, params)                                        \
	STAND_IN(void *, f, void *into, int c, size_t n params)  \
	{                                                        \
		uint64_t all = 0x0101010101010101u * (uint8_t)c; \
		uint8_t *to = into;                              \
                                                                 \
		for (; n > 0 && ((uintptr_t)to & 7) != 0; n--)   \
			*to++ = (uint8_t)c;                      \
		for (; n >= 8; n -= 8, to += 8)                  \
			*(uint64_t *)to = all;                   \
		while (n-- > 0)                                  \
			*to++ = (uint8_t)c;                      \
		return into;                                     \
	}
MEMSET(memset, NONE)
MEMSET(ZuZumemsetZuchk, BOUND)

#define STRCPY(f, answer, params)                              \
	STAND_IN(char *, f, char *to, const char *from params) \
	{                                                      \
		char *begin __attribute__((unused)) = to;      \
                                                               \
		while ((*to = *from)) {                        \
			to++;                                  \
			from++;                                \
		}                                              \
		return answer;                                 \
	}
STRCPY(strcpy, begin, NONE)
STRCPY(stpcpy, to, NONE)
STRCPY(ZuZustrcpyZuchk, begin, BOUND)
STRCPY(ZuZustpcpyZuchk, to, BOUND)

STAND_IN(char *, strcat, char *to, const char *from)
{
	char *begin = to;

	while (*to)
		to++;
	while ((*to = *from)) {
		to++;
		from++;
	}
	return begin;
}

STAND_IN(char *, strncat, char *to, const char *from, size_t n)
{
	char *begin = to;

	while (*to)
		to++;
	for (; n > 0 && *from; n--)
		*to++ = *from++;
	*to = 0;
	return begin;
}

#define STRNCPY(f, answer)                                        \
	STAND_IN(char *, f, char *to, const char *from, size_t n) \
	{                                                         \
		size_t i = 0, end __attribute__((unused));        \
                                                                  \
		for (; i < n && from[i]; i++)                     \
			to[i] = from[i];                          \
		for (end = i; i < n; i++)                         \
			to[i] = 0;                                \
		return answer;                                    \
	}
STRNCPY(strncpy, to)
STRNCPY(stpncpy, to + end)

STAND_IN(wchar_t *, wcscpy, wchar_t *to, const wchar_t *from)
{
	wchar_t *begin = to;

	while ((*to = *from)) {
		to++;
		from++;
	}
	return begin;
}
