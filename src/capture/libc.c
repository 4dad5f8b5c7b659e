/*
 * Library functions that touch the caller's memory: foresee_libc_NAME for
 * every NAME of FORESEE_LIBC_BASIC.  The pass calls these instead; what is not
 * recording does the plain thing.
 *
 * What decides the outcome (the bytes a comparison looks at, the length of a string that is copied)
 * is a binding read; what is only moved is a copy.  Comparisons are made on the logged bytes,
 * lengths are those of the logged strings, so the outcome is that of the
 * record even when another thread writes meanwhile.  Searches look first and log the bytes
 * up to what they found.  Calls that may block or run for long are made
 * outside the hook: their bytes are logged when they have come.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "capture/libc_priv.h"
#include "capture/real.h"

#define X(name) extern __typeof__(name) foresee_libc_##name;
FORESEE_LIBC_BASIC(X)
#undef X

#define PIECE 256u /* bytes compared at once; buffers are on somebody else's stack */

/* The string up to and with the byte at `found', or all of it. */
static void log_search(const char *s, const char *found)
{
	log_string(s, found != NULL ? (size_t)(found - s) + 1 : SIZE_MAX);
}

/* ---- memory ---- */

EXPORT void *foresee_libc_memcpy(void *restrict to, const void *restrict from, size_t n)
{
	struct thread *t = hook_enter();

	if (t == NULL)
		return memcpy(to, from, n);
	range_copy(t, to, from, n, SITE);
	hook_leave(t);
	return to;
}

EXPORT void *foresee_libc_mempcpy(void *restrict to, const void *restrict from, size_t n)
{
	return (char *)foresee_libc_memcpy(to, from, n) + n;
}

EXPORT void *foresee_libc_memmove(void *to, const void *from, size_t n)
{
	struct thread *t = hook_enter();

	if (t == NULL)
		return memmove(to, from, n);
	range_move(t, to, from, n, SITE);
	hook_leave(t);
	return to;
}

EXPORT void foresee_libc_bcopy(const void *from, void *to, size_t n)
{
	foresee_libc_memmove(to, from, n);
}

EXPORT void *foresee_libc_memset(void *to, int byte, size_t n)
{
	struct thread *t = hook_enter();

	if (t == NULL)
		return memset(to, byte, n);
	range_fill(t, to, byte, n, SITE, NULL, 0);
	hook_leave(t);
	return to;
}

EXPORT void foresee_libc_bzero(void *to, size_t n)
{
	foresee_libc_memset(to, 0, n);
}

EXPORT int foresee_libc_memcmp(const void *a, const void *b, size_t n)
{
	struct thread *t = hook_enter();
	uint8_t x[PIECE], y[PIECE];
	int r = 0;

	if (t == NULL)
		return memcmp(a, b, n);
	for (size_t at = 0, k; r == 0 && at < n; at += k) {
		k = n - at < PIECE ? n - at : PIECE;
		range_read(t, (const char *)a + at, x, k, SITE, false);
		range_read(t, (const char *)b + at, y, k, SITE, false);
		r = memcmp(x, y, k);
	}
	hook_leave(t);
	return r;
}

EXPORT int foresee_libc_bcmp(const void *a, const void *b, size_t n)
{
	return foresee_libc_memcmp(a, b, n);
}

EXPORT void *foresee_libc_memchr(const void *p, int c, size_t n)
{
	const char *found = memchr(p, c, n);

	log_read(p, found != NULL ? (size_t)(found - (const char *)p) + 1 : n);
	return (void *)found;
}

EXPORT void *foresee_libc_memrchr(const void *p, int c, size_t n)
{
	const char *found = memrchr(p, c, n), *from = found != NULL ? found : p;

	log_read(from, n - (size_t)(from - (const char *)p));
	return (void *)found;
}

/* ---- strings ---- */

EXPORT size_t foresee_libc_strnlen(const char *s, size_t max)
{
	struct thread *t = hook_enter();
	size_t n;

	if (t == NULL)
		return strnlen(s, max);
	n = range_string(t, s, max, SITE);
	hook_leave(t);
	return n;
}

EXPORT size_t foresee_libc_strlen(const char *s)
{
	return foresee_libc_strnlen(s, SIZE_MAX);
}

/* Bytes that comparing the first `max' of two strings looks at: through the
 * first difference or end. */
static size_t compared(const char *a, const char *b, size_t max, bool fold)
{
	size_t n = 0;

	while (n < max && a[n] != '\0' && (fold ? strncasecmp(a + n, b + n, 1) == 0 : a[n] == b[n]))
		n++;
	return n < max ? n + 1 : max;
}

/*
 * By pieces: look how far to read, read that logged, compare what was logged.
 * When somebody writes in between and the logged bytes decide nothing yet, go on after them.
 */
static int compare(const char *a, const char *b, size_t max, bool fold)
{
	struct thread *t = hook_enter();
	char x[PIECE], y[PIECE];
	int r = 0;

	if (t == NULL)
		return fold ? strncasecmp(a, b, max) : strncmp(a, b, max);
	for (size_t at = 0, n; at < max; at += n) {
		n = compared(a + at, b + at, max - at < PIECE ? max - at : PIECE, fold);
		range_read(t, a + at, x, n, SITE, false);
		range_read(t, b + at, y, n, SITE, false);
		r = fold ? strncasecmp(x, y, n) : strncmp(x, y, n);
		if (r != 0 || memchr(x, 0, n) != NULL)
			break;
	}
	hook_leave(t);
	return r;
}

EXPORT int foresee_libc_strcmp(const char *a, const char *b)
{
	return compare(a, b, SIZE_MAX, false);
}

EXPORT int foresee_libc_strncmp(const char *a, const char *b, size_t n)
{
	return compare(a, b, n, false);
}

EXPORT int foresee_libc_strcasecmp(const char *a, const char *b)
{
	return compare(a, b, SIZE_MAX, true);
}

EXPORT int foresee_libc_strncasecmp(const char *a, const char *b, size_t n)
{
	return compare(a, b, n, true);
}

EXPORT char *foresee_libc_stpcpy(char *restrict to, const char *restrict from)
{
	struct thread *t = hook_enter();
	size_t n;

	if (t == NULL)
		return stpcpy(to, from);
	n = range_string(t, from, SIZE_MAX, SITE);
	range_copy(t, to, from, n + 1, SITE);
	hook_leave(t);
	return to + n;
}

EXPORT char *foresee_libc_strcpy(char *restrict to, const char *restrict from)
{
	foresee_libc_stpcpy(to, from);
	return to;
}

EXPORT char *foresee_libc_strncpy(char *restrict to, const char *restrict from, size_t size)
{
	struct thread *t = hook_enter();
	size_t n;

	if (t == NULL)
		return strncpy(to, from, size);
	n = range_string(t, from, size, SITE);
	range_copy(t, to, from, n, SITE);
	range_fill(t, to + n, 0, size - n, SITE, NULL, 0);
	hook_leave(t);
	return to;
}

EXPORT char *foresee_libc_strncat(char *restrict to, const char *restrict from, size_t max)
{
	struct thread *t = hook_enter();
	size_t at, n;

	if (t == NULL)
		return strncat(to, from, max);
	at = range_string(t, to, SIZE_MAX, SITE);
	n = range_string(t, from, max, SITE);
	range_copy(t, to + at, from, n, SITE);
	range_fill(t, to + at + n, 0, 1, SITE, NULL, 0);
	hook_leave(t);
	return to;
}

EXPORT char *foresee_libc_strcat(char *restrict to, const char *restrict from)
{
	return foresee_libc_strncat(to, from, SIZE_MAX);
}

EXPORT char *foresee_libc_strchr(const char *s, int c)
{
	char *found = strchr(s, c);

	log_search(s, found);
	return found;
}

EXPORT char *foresee_libc_strrchr(const char *s, int c)
{
	log_string(s, SIZE_MAX);
	return strrchr(s, c);
}

EXPORT char *foresee_libc_strstr(const char *s, const char *what)
{
	char *found = strstr(s, what);

	log_string(what, SIZE_MAX);
	log_string(s, found != NULL ? (size_t)(found - s) + strlen(what) : SIZE_MAX);
	return found;
}

EXPORT size_t foresee_libc_strspn(const char *s, const char *set)
{
	size_t n = strspn(s, set);

	log_string(set, SIZE_MAX);
	log_string(s, n + 1);
	return n;
}

EXPORT size_t foresee_libc_strcspn(const char *s, const char *set)
{
	size_t n = strcspn(s, set);

	log_string(set, SIZE_MAX);
	log_string(s, n + 1);
	return n;
}

EXPORT char *foresee_libc_strpbrk(const char *s, const char *set)
{
	char *found = strpbrk(s, set);

	log_string(set, SIZE_MAX);
	log_search(s, found);
	return found;
}

/* malloc is ours too and logs the new block by itself, so not inside a hook. */
EXPORT char *foresee_libc_strndup(const char *s, size_t max)
{
	size_t n = foresee_libc_strnlen(s, max);
	char *p = malloc(n + 1);

	if (p == NULL)
		return NULL;
	foresee_libc_memcpy(p, s, n);
	foresee_libc_memset(p + n, 0, 1);
	return p;
}

EXPORT char *foresee_libc_strdup(const char *s)
{
	return foresee_libc_strndup(s, SIZE_MAX);
}

/* ---- numbers ---- */

#define NUMBER(type, name)                                                                     \
	EXPORT type foresee_libc_##name(const char *restrict s, char **restrict end, int base) \
	{                                                                                      \
		char *stop;                                                                    \
		type n = name(s, &stop, base);                                                 \
                                                                                               \
		log_string(s, (size_t)(stop - s) + 1);                                         \
		if (end != NULL) {                                                             \
			*end = stop;                                                           \
			log_wrote(end, sizeof(*end));                                          \
		}                                                                              \
		return n;                                                                      \
	}

NUMBER(long, strtol)
NUMBER(unsigned long, strtoul)
NUMBER(long long, strtoll)
NUMBER(unsigned long long, strtoull)

EXPORT long foresee_libc_atol(const char *s)
{
	return foresee_libc_strtol(s, NULL, 10);
}

EXPORT int foresee_libc_atoi(const char *s)
{
	return (int)foresee_libc_atol(s);
}

/* ---- printing to memory ---- */

#define FORMATTED 1024u /* longer results are written in place, then logged */

EXPORT int foresee_libc_vsnprintf(char *restrict to, size_t size, const char *restrict format,
				  va_list args)
{
	char text[FORMATTED];
	va_list again;
	int r;

	libc_log_format(format, args);
	va_copy(again, args);
	r = vsnprintf(text, sizeof(text), format, again);
	va_end(again);
	if (r >= 0 && (size_t)r < sizeof(text)) {
		if (size != 0 && (size_t)r >= size)
			text[size - 1] = '\0';
		log_store(to, text, (size_t)r < size ? (size_t)r + 1 : size);
		return r;
	}
	r = vsnprintf(to, size, format, args);
	if (r >= 0 && size != 0)
		log_wrote(to, (size_t)r < size ? (size_t)r + 1 : size);
	return r;
}

EXPORT int foresee_libc_snprintf(char *restrict to, size_t size, const char *restrict format, ...)
{
	va_list args;
	int r;

	va_start(args, format);
	r = foresee_libc_vsnprintf(to, size, format, args);
	va_end(args);
	return r;
}

EXPORT int foresee_libc_sprintf(char *restrict to, const char *restrict format, ...)
{
	va_list args;
	int r;

	va_start(args, format);
	r = foresee_libc_vsnprintf(to, INT_MAX, format, args);
	va_end(args);
	return r;
}

/* ---- time ---- */

EXPORT int foresee_libc_clock_gettime(clockid_t clock, struct timespec *now)
{
	struct timespec its;
	int r = clock_gettime(clock, &its);

	if (r == 0)
		log_store(now, &its, sizeof(its));
	return r;
}

EXPORT int foresee_libc_gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timeval its;
	int r = gettimeofday(&its, zone);

	if (r == 0) {
		log_store(now, &its, sizeof(its));
		log_wrote(zone, sizeof(struct timezone));
	}
	return r;
}

EXPORT time_t foresee_libc_time(time_t *out)
{
	time_t now = time(NULL);

	log_store(out, &now, sizeof(now));
	return now;
}

/* ---- input and output ---- */

static ssize_t got(void *p, size_t room, ssize_t n)
{
	if (n > 0) /* MSG_TRUNC tells more than it gives */
		log_wrote(p, (size_t)n < room ? (size_t)n : room);
	return n;
}

EXPORT ssize_t foresee_libc_read(int fd, void *p, size_t n)
{
	return got(p, n, read(fd, p, n));
}

EXPORT ssize_t foresee_libc_pread(int fd, void *p, size_t n, off_t at)
{
	return got(p, n, pread(fd, p, n, at));
}

EXPORT ssize_t foresee_libc_recv(int fd, void *p, size_t n, int flags)
{
	return got(p, n, recv(fd, p, n, flags));
}

EXPORT size_t foresee_libc_fread(void *restrict p, size_t size, size_t n, FILE *restrict f)
{
	size_t r = fread(p, size, n, f);

	log_wrote(p, r * size);
	return r;
}

EXPORT char *foresee_libc_fgets(char *restrict p, int n, FILE *restrict f)
{
	char *r = fgets(p, n, f);

	if (r != NULL)
		log_wrote(p, strlen(p) + 1);
	return r;
}

EXPORT ssize_t foresee_libc_write(int fd, const void *p, size_t n)
{
	log_read(p, n);
	return write(fd, p, n);
}

EXPORT ssize_t foresee_libc_pwrite(int fd, const void *p, size_t n, off_t at)
{
	log_read(p, n);
	return pwrite(fd, p, n, at);
}

EXPORT ssize_t foresee_libc_send(int fd, const void *p, size_t n, int flags)
{
	log_read(p, n);
	return send(fd, p, n, flags);
}

EXPORT size_t foresee_libc_fwrite(const void *restrict p, size_t size, size_t n, FILE *restrict f)
{
	log_read(p, size * n);
	return fwrite(p, size, n, f);
}

EXPORT int foresee_libc_puts(const char *s)
{
	log_string(s, SIZE_MAX);
	return puts(s);
}

EXPORT int foresee_libc_fputs(const char *restrict s, FILE *restrict f)
{
	log_string(s, SIZE_MAX);
	return fputs(s, f);
}
