/*
 * Functions on strings and memory, in the place of the C library's, byte by byte or word by word.
 *
 * The library's read more than they are asked for, whole vectors: what lies behind a string belongs to somebody else.
 * Here a byte is read because the result depends on it.  They lie in a section of their own, and
 * what they do is done by their caller.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

STAND_IN(size_t, strlen, const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

STAND_IN(size_t, strnlen, const char *s, size_t most)
{
	size_t n = 0;

	while (n < most && s[n])
		n++;
	return n;
}

#define STRCHR(f, missing)                        \
	STAND_IN(char *, f, const char *s, int c) \
	{                                         \
		for (; *s != (char)c; s++)        \
			if (!*s)                  \
				return missing;   \
		return (char *)s;                 \
	}
STRCHR(strchr, NULL)
STRCHR(index, NULL)
STRCHR(strchrnul, (char *)s)

#define STRRCHR(f)                                   \
	STAND_IN(char *, f, const char *s, int c)    \
	{                                            \
		const char *last = NULL;             \
                                                     \
		for (;; s++) {                       \
			if (*s == (char)c)           \
				last = s;            \
			if (!*s)                     \
				return (char *)last; \
		}                                    \
	}
STRRCHR(strrchr)
STRRCHR(rindex)

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

/* ---- comparisons ---- */

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

STAND_IN(char *, strncpy, char *to, const char *from, size_t n)
{
	size_t i = 0;

	for (; i < n && from[i]; i++)
		to[i] = from[i];
	for (; i < n; i++)
		to[i] = 0;
	return to;
}
