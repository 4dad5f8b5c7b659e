/*
 * Streams of stdio: like the descriptors under them (descriptor.c), which libc
 * uses without asking us.  What goes into a buffer is given at once, and when
 * somebody flushes the buffer, by him too; what comes from a buffer is taken by
 * everyone who gets some of it.
 *
 * Streams without a descriptor, in memory, bring no order.  Not seen: wide
 * characters, and fflush(NULL) of streams other than stdout and stderr.
 */
#define __NO_INLINE__ 1 /* or the header defines some of them itself */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "capture/channel.h"
#include "capture/libc_priv.h"
#include "capture/real.h"

static int number(FILE *f)
{
	int saved = errno, fd = fileno_unlocked(f);

	errno = saved;
	return fd;
}

static void give(FILE *f)
{
	if (f != NULL) {
		channel_give_fd(number(f));
	} else {
		channel_give_fd(number(stdout));
		channel_give_fd(number(stderr));
	}
}

static void take(FILE *f)
{
	channel_take_fd(number(f));
}

/* Not all are declared, for all programs. */
#define GIVES(type, name, params, f, ...)       \
	EXPORT type name params;                \
	type name params                        \
	{                                       \
		give(f);                        \
		return REAL(name)(__VA_ARGS__); \
	}

#define TAKES(type, name, params, f, ...)         \
	EXPORT type name params;                  \
	type name params                          \
	{                                         \
		type r = REAL(name)(__VA_ARGS__); \
                                                  \
		take(f);                          \
		return r;                         \
	}

/* ---- out ---- */

GIVES(int, fputc, (int c, FILE *f), f, c, f)
GIVES(int, fputc_unlocked, (int c, FILE *f), f, c, f)
GIVES(int, putc, (int c, FILE *f), f, c, f)
GIVES(int, putc_unlocked, (int c, FILE *f), f, c, f)
GIVES(int, _IO_putc, (int c, FILE *f), f, c, f)
GIVES(int, putchar, (int c), stdout, c)
GIVES(int, putchar_unlocked, (int c), stdout, c)
GIVES(int, putw, (int c, FILE *f), f, c, f)
GIVES(int, __overflow, (FILE * f, int c), f, f, c)
GIVES(int, puts, (const char *s), stdout, s)
GIVES(int, fputs, (const char *restrict s, FILE *restrict f), f, s, f)
GIVES(int, fputs_unlocked, (const char *restrict s, FILE *restrict f), f, s, f)
GIVES(size_t, fwrite, (const void *restrict p, size_t size, size_t n, FILE *restrict f), f, p, size,
      n, f)
GIVES(size_t, fwrite_unlocked, (const void *restrict p, size_t size, size_t n, FILE *restrict f), f,
      p, size, n, f)
GIVES(int, fflush, (FILE * f), f, f)
GIVES(int, fflush_unlocked, (FILE * f), f, f)
GIVES(int, fclose, (FILE * f), f, f)
GIVES(int, pclose, (FILE * f), f, f)

EXPORT void perror(const char *s)
{
	give(stderr);
	REAL(perror)(s);
}

#define PRINTS(name, params, f, ...)            \
	EXPORT int name params;                 \
	int name params                         \
	{                                       \
		libc_log_format(format, list);  \
		give(f);                        \
		return REAL(name)(__VA_ARGS__); \
	}

PRINTS(vfprintf, (FILE *restrict f, const char *restrict format, va_list list), f, f, format, list)
PRINTS(vprintf, (const char *restrict format, va_list list), stdout, format, list)
PRINTS(__vfprintf_chk, (FILE *restrict f, int flag, const char *restrict format, va_list list), f,
       f, flag, format, list)
PRINTS(__vprintf_chk, (int flag, const char *restrict format, va_list list), stdout, flag, format,
       list)

EXPORT int fprintf(FILE *restrict f, const char *restrict format, ...)
{
	return LISTED(format, vfprintf(f, format, args));
}

EXPORT int printf(const char *restrict format, ...)
{
	return LISTED(format, vfprintf(stdout, format, args));
}

EXPORT int __fprintf_chk(FILE *restrict f, int flag, const char *restrict format, ...);
int __fprintf_chk(FILE *restrict f, int flag, const char *restrict format, ...)
{
	return LISTED(format, __vfprintf_chk(f, flag, format, args));
}

EXPORT int __printf_chk(int flag, const char *restrict format, ...);
int __printf_chk(int flag, const char *restrict format, ...)
{
	return LISTED(format, __vfprintf_chk(stdout, flag, format, args));
}

/* To a descriptor. */
EXPORT int vdprintf(int fd, const char *restrict format, va_list list)
{
	libc_log_format(format, list);
	channel_give_fd(fd);
	return REAL(vdprintf)(fd, format, list);
}

EXPORT int __vdprintf_chk(int fd, int flag, const char *restrict format, va_list list);
int __vdprintf_chk(int fd, int flag, const char *restrict format, va_list list)
{
	libc_log_format(format, list);
	channel_give_fd(fd);
	return REAL(__vdprintf_chk)(fd, flag, format, list);
}

EXPORT int dprintf(int fd, const char *restrict format, ...)
{
	return LISTED(format, vdprintf(fd, format, args));
}

EXPORT int __dprintf_chk(int fd, int flag, const char *restrict format, ...);
int __dprintf_chk(int fd, int flag, const char *restrict format, ...)
{
	return LISTED(format, __vdprintf_chk(fd, flag, format, args));
}

/* ---- the lock, where the program takes it by name ---- */

/* Streams in memory have one too, so it is no matter of the descriptor. */
EXPORT void flockfile(FILE *f)
{
	REAL(flockfile)(f);
	channel_take(CHANNEL_UNSEEN);
}

EXPORT int ftrylockfile(FILE *f)
{
	int r = REAL(ftrylockfile)(f);

	if (r == 0)
		channel_take(CHANNEL_UNSEEN);
	return r;
}

EXPORT void funlockfile(FILE *f)
{
	channel_give(CHANNEL_UNSEEN);
	REAL(funlockfile)(f);
}

/* ---- in ---- */

TAKES(int, fgetc, (FILE * f), f, f)
TAKES(int, fgetc_unlocked, (FILE * f), f, f)
TAKES(int, getc, (FILE * f), f, f)
TAKES(int, getc_unlocked, (FILE * f), f, f)
TAKES(int, _IO_getc, (FILE * f), f, f)
TAKES(int, getchar, (void), stdin)
TAKES(int, getchar_unlocked, (void), stdin)
TAKES(int, getw, (FILE * f), f, f)
TAKES(int, __uflow, (FILE * f), f, f)
TAKES(char *, fgets, (char *restrict p, int n, FILE *restrict f), f, p, n, f)
TAKES(char *, fgets_unlocked, (char *restrict p, int n, FILE *restrict f), f, p, n, f)
TAKES(char *, __fgets_chk, (char *restrict p, size_t room, int n, FILE *restrict f), f, p, room, n,
      f)
TAKES(size_t, fread, (void *restrict p, size_t size, size_t n, FILE *restrict f), f, p, size, n, f)
TAKES(size_t, fread_unlocked, (void *restrict p, size_t size, size_t n, FILE *restrict f), f, p,
      size, n, f)
TAKES(size_t, __fread_chk, (void *restrict p, size_t room, size_t size, size_t n, FILE *restrict f),
      f, p, room, size, n, f)
TAKES(ssize_t, getline, (char **restrict p, size_t *restrict n, FILE *restrict f), f, p, n, f)
TAKES(ssize_t, getdelim, (char **restrict p, size_t *restrict n, int end, FILE *restrict f), f, p,
      n, end, f)
TAKES(ssize_t, __getdelim, (char **restrict p, size_t *restrict n, int end, FILE *restrict f), f, p,
      n, end, f)

/*
 * Which function `scanf' is depends on the standard that a program asks for.  Here they have
 * names of our own; the symbols are said apart, behind the back of the header.
 */
#define SYMBOL(name) __asm__(name)
typedef int scan_function(FILE *, const char *, va_list);

#define SCANS(id, prefix)                                                                      \
	EXPORT scan_function scan_vf_##id SYMBOL(prefix "vfscanf");                            \
	EXPORT int scan_v_##id(const char *format, va_list list) SYMBOL(prefix "vscanf");      \
	EXPORT int scan_f_##id(FILE *f, const char *format, ...) SYMBOL(prefix "fscanf");      \
	EXPORT int scan_##id(const char *format, ...) SYMBOL(prefix "scanf");                  \
                                                                                               \
	int scan_vf_##id(FILE *f, const char *format, va_list list)                            \
	{                                                                                      \
		int r = ((scan_function *)real_find(prefix "vfscanf", NULL))(f, format, list); \
                                                                                               \
		take(f);                                                                       \
		return r;                                                                      \
	}                                                                                      \
	int scan_v_##id(const char *format, va_list list)                                      \
	{                                                                                      \
		return scan_vf_##id(stdin, format, list);                                      \
	}                                                                                      \
	int scan_f_##id(FILE *f, const char *format, ...)                                      \
	{                                                                                      \
		return LISTED(format, scan_vf_##id(f, format, args));                          \
	}                                                                                      \
	int scan_##id(const char *format, ...)                                                 \
	{                                                                                      \
		return LISTED(format, scan_vf_##id(stdin, format, args));                      \
	}

SCANS(gnu, "")
SCANS(c99, "__isoc99_")
SCANS(c23, "__isoc23_")
