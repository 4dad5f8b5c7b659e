/*
 * Library functions that touch the caller's memory: foresee_libc_NAME for every NAME of libc.def.
 * Instrumented code calls these instead; a thread that does not record gets libc's function.
 *
 * What decides the outcome (the bytes a comparison looks at, the length of a string that is copied)
 * is a binding read; what is only moved is a copy.  Comparisons are made on the logged bytes,
 * lengths are those of the logged strings, so the outcome agrees with the record even when another
 * thread writes meanwhile.  Searches call libc first, and then log the bytes up to what it
 * found.
 *
 * Others do what they do unseen, outside of hooks, for they may block or run for long; when one has
 * returned, what it left is logged as written.  Results of fixed size are made in private memory
 * first, and stored as a recorded write.  Strings that go in are binding reads; of other structures
 * that go in only that they are read is known (OPAQUE), unless a row says more.
 */
#include "capture/libc.h"

#include "capture/channel.h"
#include "capture/libc_priv.h"

#define PIECE 256u /* bytes compared at once; buffers are on somebody else's stack */

/* ---- what rows are made of ---- */

/* Those of the arguments that are pointers, by classes as the compilers number them. */
#define POINTER(x) (__builtin_classify_type(x) == 5 ? (const void *)(uintptr_t)(x) : NULL)
#define POINTERS1(a) POINTER(a)
#define POINTERS2(a, ...) POINTER(a), POINTERS1(__VA_ARGS__)
#define POINTERS3(a, ...) POINTER(a), POINTERS2(__VA_ARGS__)
#define POINTERS4(a, ...) POINTER(a), POINTERS3(__VA_ARGS__)
#define POINTERS5(a, ...) POINTER(a), POINTERS4(__VA_ARGS__)
#define POINTERS_PICK(a, b, c, d, e, name, ...) name
#define POINTERS(...)                                                                       \
	POINTERS_PICK(__VA_ARGS__, POINTERS5, POINTERS4, POINTERS3, POINTERS2, POINTERS1, ) \
	(__VA_ARGS__)

#define CALL(letters, type, name, params, args, before, ...) \
	EXPORT type foresee_libc_##name params               \
	{                                                    \
		type r;                                      \
		before;                                      \
                                                             \
		r = name args;                               \
		__VA_ARGS__;                                 \
		return r;                                    \
	}

#define OPAQUE(args)                                   \
	const void *const given[] = { POINTERS args }; \
	log_opaque(FORMAT_OPAQUE_READS, given, sizeof(given) / sizeof(given[0]))

#define TELLS(letters, type, name, params, args, ...) \
	CALL(letters, type, name, params, args, OPAQUE(args), __VA_ARGS__)

#define WAITS(letters, type, name, params, args, ...)         \
	CALL(letters, type, name, params, args, OPAQUE(args); \
	     channel_unseen(FORMAT_K_GIVE), channel_unseen(FORMAT_K_TAKE); __VA_ARGS__)

#define HOOKED(letters, type, name, params, args, steps, result) \
	EXPORT type foresee_libc_##name params                   \
	{                                                        \
		struct thread *t = hook_enter();                 \
                                                                 \
		if (t == NULL)                                   \
			return name args;                        \
		steps;                                           \
		hook_leave(t);                                   \
		return result;                                   \
	}

#define DOES(letters, type, name, params, expression) \
	EXPORT type foresee_libc_##name params        \
	{                                             \
		return expression;                    \
	}

#define LOOKED(p) log_read(p, sizeof(*(p)))
#define LEFT(p) log_wrote((void *)(p), sizeof(*(p)))
#define PUT(p) log_store(p, &its, sizeof(its))

/* After a call that asks what a file is like. */
#define LOOKED_UP(found, st) channel_take_file((const struct stat *)&(st), found)
/* ... or anything else that the kernel keeps for all threads. */
#define ASKED channel_take(CHANNEL_UNSEEN)

#define COUNT(n) ((n) > 0 ? (size_t)(n) : 0)

/* A signal that is there, but has not come. */
static void take_pending(const sigset_t *set)
{
	for (int n = 1; n < _NSIG; n++)
		if (sigismember(set, n) == 1)
			channel_take_signal(n, &(siginfo_t){ .si_code = SI_KERNEL });
}

static void left_string(char *s)
{
	if (s != NULL)
		log_wrote(s, strlen(s) + 1);
}

static void left_wide(wchar_t *s, size_t n)
{
	log_wrote(s, n * sizeof(*s));
}

/* r: bytes of the line that came, or -1. */
static void left_line(char **p, size_t *n, ssize_t r)
{
	LEFT(p);
	LEFT(n);
	if (r > 0)
		log_wrote(*p, (size_t)r + 1);
}

/* The string up to and with the byte at `found', or all of it. */
static void log_search(const char *s, const char *found)
{
	log_string(s, found != NULL ? (size_t)(found - s) + 1 : SIZE_MAX);
}

/* A number was read from s, up to stop, which is what *end is to be. */
static void number_read(const char *s, char **end, char *stop)
{
	log_string(s, (size_t)(stop - s) + 1);
	log_store(end, &stop, sizeof(stop));
}

static void got(void *p, size_t room, ssize_t n)
{
	if (n > 0) /* with MSG_TRUNC n may be more than was stored */
		log_wrote(p, (size_t)n < room ? (size_t)n : room);
}

/* r bytes have come into the pieces v[0 .. n). */
static void scattered(const struct iovec *v, size_t n, ssize_t r)
{
	size_t left = r > 0 ? (size_t)r : 0;

	for (size_t i = 0; i < n && left != 0; i++) {
		size_t k = v[i].iov_len < left ? v[i].iov_len : left;

		log_wrote(v[i].iov_base, k);
		left -= k;
	}
}

static socklen_t room_at(const socklen_t *size)
{
	if (size == NULL)
		return 0;
	log_read(size, sizeof(*size));
	return *size;
}

/* What a call has left at p, with room for so much, and its full size at *size. */
static void left_sized(void *p, socklen_t room, socklen_t *size)
{
	if (size == NULL)
		return;
	log_wrote(p, *size < room ? *size : room);
	log_wrote(size, sizeof(*size));
}

#define ROOM(size) socklen_t room = room_at(size)

static void left_addresses(struct addrinfo **p)
{
	LEFT(p);
	for (struct addrinfo *a = *p; a != NULL; a = a->ai_next) {
		LEFT(a);
		log_wrote(a->ai_addr, a->ai_addrlen);
		left_string(a->ai_canonname);
	}
}

static void left_paths(glob_t *g)
{
	LEFT(g);
	log_wrote(g->gl_pathv, (size_t)(g->gl_offs + g->gl_pathc + 1) * sizeof(*g->gl_pathv));
	for (size_t i = 0; i < g->gl_pathc; i++)
		left_string(g->gl_pathv[g->gl_offs + i]);
}

/* An entry of the user database, the strings that it points to, and where it is. */
#define LEFT_ENTRY(r, e, text, n, p)            \
	do {                                    \
		LEFT(p);                        \
		if ((r) == 0 && *(p) != NULL) { \
			LEFT(e);                \
			log_wrote(text, n);     \
		}                               \
	} while (0)

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

#define HAND(letters, name)
#define SCAN(letters, name)
#include "capture/libc.def"

/* ---- by hand: memory ---- */

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

EXPORT void foresee_libc_swab(const void *restrict from, void *restrict to, ssize_t n)
{
	log_opaque(FORMAT_OPAQUE_READS, (const void *[]){ from }, 1);
	swab(from, to, n);
	if (n > 1)
		log_wrote(to, (size_t)n & ~(size_t)1);
}

/* The number of most requests says how many bytes they write; the others write as unseen code
 * does. */
EXPORT int foresee_libc_ioctl(int fd, unsigned long request, ...)
{
	size_t n = request == FIONREAD		    ? sizeof(int)
		   : request == TIOCGWINSZ	    ? sizeof(struct winsize)
		   : _IOC_DIR(request) == _IOC_READ ? _IOC_SIZE(request)
						    : 0;
	va_list list;
	void *p;
	int r;

	va_start(list, request);
	p = va_arg(list, void *);
	va_end(list);
	log_opaque(n != 0 ? FORMAT_OPAQUE_READS : 0, (const void *[]){ p }, 1);
	if (request == FIOASYNC || request == FIOSETOWN || request == SIOCSPGRP)
		channel_tells_by_signal(fd);
	channel_give_fd(fd);
	channel_unseen(FORMAT_K_GIVE);
	r = ioctl(fd, request, p);
	channel_unseen(FORMAT_K_TAKE);
	if (r != -1) {
		channel_take_fd(fd);
		log_wrote(p, n);
	}
	return r;
}

EXPORT ssize_t foresee_libc_recvmsg(int fd, struct msghdr *m, int flags)
{
	socklen_t room;
	ssize_t r;

	log_read(m, sizeof(*m));
	log_read(m->msg_iov, m->msg_iovlen * sizeof(*m->msg_iov));
	room = m->msg_namelen;
	r = recvmsg(fd, m, flags);
	if (r < 0)
		return r;
	scattered(m->msg_iov, m->msg_iovlen, r);
	log_wrote(m->msg_name, m->msg_namelen < room ? m->msg_namelen : room);
	log_wrote(m->msg_control, m->msg_controllen);
	log_wrote(m, sizeof(*m));
	return r;
}

EXPORT size_t foresee_libc_iconv(iconv_t c, char **restrict in, size_t *restrict nin,
				 char **restrict out, size_t *restrict nout)
{
	char *from = out != NULL ? *out : NULL;
	size_t r;

	log_opaque(FORMAT_OPAQUE_READS,
		   (const void *[]){ in, nin, out, nout, in != NULL ? *in : NULL }, 5);
	r = iconv(c, in, nin, out, nout);
	LEFT(in);
	LEFT(nin);
	if (from != NULL)
		log_wrote(from, (size_t)(*out - from));
	LEFT(out);
	LEFT(nout);
	return r;
}

/* Before a sort: its elements move, unseen, between calls of the program's function, so what
 * that function reads of them was written by unseen code.  Where they lie in the end is logged
 * as a write. */
static void log_moving(const void *p, size_t n)
{
	log_read(p, n);
	log_opaque(0, &p, 1);
}

EXPORT void foresee_libc_qsort(void *p, size_t n, size_t size, __compar_fn_t order)
{
	log_moving(p, n * size);
	qsort(p, n, size, order);
	log_wrote(p, n * size);
}

EXPORT void foresee_libc_qsort_r(void *p, size_t n, size_t size, __compar_d_fn_t order, void *with)
{
	log_moving(p, n * size);
	qsort_r(p, n, size, order, with);
	log_wrote(p, n * size);
}

/* If the key is not found, it is appended. */
EXPORT void *foresee_libc_lsearch(const void *key, void *p, size_t *n, size_t size,
				  __compar_fn_t order)
{
	size_t before = *n;
	void *r;

	log_opaque(0, (const void *[]){ key, p, n }, 3);
	r = lsearch(key, p, n, size, order);
	if (*n != before) {
		LEFT(n);
		log_wrote((char *)p + before * size, size);
	}
	return r;
}

/* std::thread, of libstdc++: begun by a std::unique_ptr that goes empty; joined and detached, which
 * empties the handle.  p is what changes. */
#define THREAD(name, params, args, p)                                      \
	EXPORT void foresee_libc_##name params                             \
	{                                                                  \
		log_opaque(FORMAT_OPAQUE_READS, (const void *[]){ p }, 1); \
		name args;                                                 \
		LEFT(p);                                                   \
	}

THREAD(_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE,
       (void *thread, void **state, void (*depends)(void)), (thread, state, depends), state)
THREAD(_ZNSt6thread4joinEv, (pthread_t * thread), (thread), thread)
THREAD(_ZNSt6thread6detachEv, (pthread_t * thread), (thread), thread)

/* ---- by hand: strings ---- */

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
