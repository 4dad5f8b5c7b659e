/*
 * Library functions that touch the caller's memory: foresee_libc_NAME for every NAME that libc.def
 * says is written by hand.  Instrumented code calls these instead; a thread that does not record
 * gets libc's function.
 *
 * What decides the outcome (the bytes a comparison looks at, the length of a string that is copied)
 * is a binding read; what is only moved is a copy.  Comparisons are made on the logged bytes,
 * lengths are those of the logged strings, so the outcome agrees with the record even when another
 * thread writes meanwhile.  Searches call libc first, and then log the bytes up to what it
 * found.  Calls that may block or run for long are made outside of hooks; the bytes they leave are
 * logged afterwards.
 */
#include "capture/libc.h"

#include "capture/libc_priv.h"
#include "capture/real.h"

#define PIECE 256u /* bytes compared at once; buffers are on somebody else's stack */

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

EXPORT void *foresee_libc_memmove(void *to, const void *from, size_t n)
{
	struct thread *t = hook_enter();

	if (t == NULL)
		return memmove(to, from, n);
	range_move(t, to, from, n, SITE);
	hook_leave(t);
	return to;
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
 * If another thread writes in between, and the logged bytes decide nothing yet, go on after them.
 */
int libc_compare(const char *a, const char *b, size_t max, bool fold)
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

/* Not inside a hook: malloc is a stand-in too, and logs the new block in a hook of its own. */
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

/* ---- cutting strings in place; not strtok: what it keeps is libc's ---- */

/* Ends the piece that starts at s.  Where the next may start; NULL: it was the last. */
static char *piece_end(char *s, const char *set)
{
	char *end = s + foresee_libc_strcspn(s, set);

	if (*end == '\0')
		return NULL;
	log_store(end, "", 1);
	return end + 1;
}

static char *pointer_read(char *const *from)
{
	log_read(from, sizeof(*from));
	return *from;
}

EXPORT char *foresee_libc_strtok_r(char *restrict s, const char *restrict set, char **restrict rest)
{
	char *next, *piece;

	if (s == NULL)
		s = pointer_read(rest);
	s += foresee_libc_strspn(s, set);
	piece = *s != '\0' ? s : NULL;
	next = piece != NULL ? piece_end(s, set) : NULL;
	if (next == NULL)
		next = s + strlen(s);
	log_store(rest, &next, sizeof(next));
	return piece;
}

EXPORT char *foresee_libc_strsep(char **restrict rest, const char *restrict set)
{
	char *piece = pointer_read(rest), *next;

	if (piece == NULL)
		return NULL;
	next = piece_end(piece, set);
	log_store(rest, &next, sizeof(next));
	return piece;
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
