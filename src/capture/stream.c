/*
 * Streams of stdio: like the descriptors under them (descriptor.c), on which libc calls read and
 * write internally, where they cannot be intercepted.  A thread that puts something into the buffer
 * gives at once; one that flushes the buffer gives as well; each thread that gets something from a
 * buffer takes.
 *
 * Streams without a descriptor, in memory, count as unseen code.  Not seen: the scanning of wide
 * characters, and fflush(NULL) of streams other than stdout and stderr.
 */
#define __NO_INLINE__ 1 /* or the header defines some of them itself */
#include <poll.h>
#include <stdio.h>
#include <wchar.h>

#include "capture/channel.h"
#include "capture/libc_priv.h"

static int number(FILE *f)
{
	SYS_KEEPS_ERRNO;

	return fileno_unlocked(f);
}

static void give(FILE *f)
{
	int fd = f != NULL ? number(f) : -1;

	if (fd >= 0) {
		channel_give_fd(fd);
	} else if (f != NULL) {
		channel_give(CHANNEL_UNSEEN);
	} else {
		channel_give_fd(number(stdout));
		channel_give_fd(number(stderr));
	}
}

/* Around a call that puts something; it may be the end of f. */
static unsigned room(FILE *f)
{
	int fd = number(f != NULL ? f : stdout);

	return fd >= 0 ? channel_room(fd) : CHANNEL_NONE;
}

#define GIVE(f)  \
	give(f); \
	unsigned full = room(f)
#define GIVE_FD(fd)          \
	channel_give_fd(fd); \
	unsigned full = channel_room(fd)
#define FILLED channel_take(full)

/* Before a call that gets something, which waits if the buffer has nothing; all: or not enough. */
static void await_some(FILE *f, bool all)
{
	bool waits = f->_IO_read_ptr >= f->_IO_read_end;

	if (waits || all)
		channel_empties(number(f));
	if (!UNLIKELY(control_on))
		return;
	if (waits)
		control_fd(number(f), POLLIN, false);
	channel_gate_fd(number(f));
}

static void await(FILE *f)
{
	await_some(f, false);
}

static void await_all(FILE *f)
{
	await_some(f, true);
}

static void take(FILE *f)
{
	int fd = number(f);

	if (fd >= 0)
		channel_take_read(fd, NULL, 0);
	else
		channel_take(CHANNEL_UNSEEN);
}

/* Nothing is taken out, but where it stands is told. */
static void ask(FILE *f)
{
	int fd = number(f);

	if (fd >= 0)
		channel_take_fd(fd);
	else
		channel_take(CHANNEL_UNSEEN);
}

#define INTERPOSED_STREAMS
#include "capture/interposed.def"

/*
 * Which symbol `scanf' stands for depends on the standard that a program asks for, by declarations
 * of the header.  So these functions have other names here, and their symbols are given by __asm__.
 */
#define SYMBOL(name) __asm__(name)
typedef int scan_function(FILE *, const char *, va_list);

#define SCANS(id, prefix)                                                                  \
	EXPORT scan_function scan_vf_##id SYMBOL(prefix "vfscanf");                        \
	EXPORT int scan_v_##id(const char *format, va_list list) SYMBOL(prefix "vscanf");  \
	EXPORT int scan_f_##id(FILE *f, const char *format, ...) SYMBOL(prefix "fscanf");  \
	EXPORT int scan_##id(const char *format, ...) SYMBOL(prefix "scanf");              \
                                                                                           \
	int scan_vf_##id(FILE *f, const char *format, va_list list)                        \
	{                                                                                  \
		int r;                                                                     \
                                                                                           \
		await_all(f);                                                              \
		r = REAL_SYMBOL(scan_function *, prefix "vfscanf", NULL)(f, format, list); \
		take(f);                                                                   \
		return r;                                                                  \
	}                                                                                  \
	int scan_v_##id(const char *format, va_list list)                                  \
	{                                                                                  \
		return scan_vf_##id(stdin, format, list);                                  \
	}                                                                                  \
	int scan_f_##id(FILE *f, const char *format, ...)                                  \
	{                                                                                  \
		return LISTED(format, scan_vf_##id(f, format, args));                      \
	}                                                                                  \
	int scan_##id(const char *format, ...)                                             \
	{                                                                                  \
		return LISTED(format, scan_vf_##id(stdin, format, args));                  \
	}

SCANS(gnu, "")
SCANS(c99, "__isoc99_")
SCANS(c23, "__isoc23_")
