/*
 * Functions of libc by number, each with a call of it: what headers.h includes and calls.list calls
 * (calls.awk).  The call of a function gets fresh memory, a to d, and v: 0 at first, 1 the second time.
 */
#ifndef CALLS_H
#define CALLS_H

#include "headers.h"

#include <stdarg.h>

enum { CALLS_ROOMS = 4, CALLS_ROOM = 2048, CALLS_STATIC = 64 };

typedef void *call_made(char *a, char *b, char *c, char *d, int v, va_list list);

/* Files, locales and so on, that the calls use. */
static FILE *lines;
static DIR *here;
static locale_t c_locale;
static char spare[4096];
static const char text[][128] = { "7", "8-9" }; /* files of that name are there */
static const wchar_t *const wide[] = { L"7", L"88" };
static char *const words[] = { (char *)"x", NULL };
static const time_t times_of[] = { 99, 999999999 };

static int nothing(void)
{
	return 0;
}

static int by_value(const void *x, const void *y)
{
	return *(const unsigned char *)x - *(const unsigned char *)y;
}

static pid_t child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(7);
	return pid;
}

static void *fclose_x(FILE *f)
{
	fputc('x', f);
	fclose(f);
	return NULL;
}

/* Descriptors 10 and 11 are a file, so that a small number is right for many arguments. */
static int calls_ready(void)
{
	int fd = open(text[0], O_RDONLY);

	lines = fopen(text[0], "r");
	here = opendir(".");
	c_locale = newlocale(LC_ALL_MASK, "C", NULL);
	return fd >= 0 && dup2(fd, 10) == 10 && dup2(fd, 11) == 11 && lines != NULL && here != NULL;
}

#define X(name, any, ...)                                                                 \
	static void *call_##name(char *a, char *b, char *c, char *d, int v, va_list list) \
	{                                                                                 \
		__VA_ARGS__;                                                              \
		return NULL;                                                              \
	}
#include "calls.list"
#undef X

static const struct {
	const char *name;
	int any;
	call_made *made;
} calls[] = {
#define X(name, any, ...) { #name, any, call_##name },
#include "calls.list"
#undef X
};

enum { CALLS = sizeof(calls) / sizeof(calls[0]) };

/* One function, once; the rooms are its list of arguments as well. */
static void *call_make(int i, char room[CALLS_ROOMS][CALLS_ROOM], int v, ...)
{
	va_list list;
	void *r;

	va_start(list, v);
	r = calls[i].made(room[0], room[1], room[2], room[3], v, list);
	va_end(list);
	return r;
}

#endif /* CALLS_H */
