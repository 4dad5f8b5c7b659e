/*
 * What <foresee.h> offers to programs.  The names are part of the public
 * interface; the header declares them weak, here they are defined.
 *
 * A lock of the program's own is logged like any other, as its kind USER.  If it is made of
 * instrumented accesses these are logged too, and order as accesses do; the annotations add to that
 * and remove nothing.
 */
#include "capture/annotate.h"

#include <stdarg.h>
#include <string.h>

#include "capture/hooks.h"
#include "capture/interposed.h"
#include "capture/lock_priv.h"

#define ARGUMENTS 8u

/* As in foresee.h. */
#define FLAG_READ 1u
#define FLAG_TRY 2u
#define FLAG_NESTS 4u

/* ---- names and events ---- */

void annotate_thread(const char *name)
{
	HOOK(t) {
		if (name != NULL)
			sync_name(t, name, strnlen(name, 64));
	}
}

void annotate_user(unsigned aux, const char *name, const uint64_t *args, unsigned nargs)
{
	HOOK(t)
		sync_words(t, FORMAT_K_USER, aux, name, args, nargs);
}

void annotate_range(unsigned aux, const char *name, const volatile void *address, uint64_t size)
{
	uint64_t args[2] = { (uintptr_t)address, size };

	annotate_user(aux, name, args, 2);
}

EXPORT void foresee_event(const char *name, unsigned count, ...);
void foresee_event(const char *name, unsigned count, ...)
{
	uint64_t args[ARGUMENTS];
	unsigned n = count < ARGUMENTS ? count : ARGUMENTS;
	va_list more;

	va_start(more, count);
	for (unsigned i = 0; i < n; i++)
		args[i] = (uint64_t)va_arg(more, long);
	va_end(more);
	annotate_user(FORMAT_USER_EVENT, name, args, n);
}

/* The pass calls this at the start of the functions that it was asked to. */
EXPORT void foresee_called(const char *name, uint32_t n, uint64_t a, uint64_t b, uint64_t c,
			   uint64_t d)
{
	const uint64_t args[FORESEE_CALL_ARGUMENTS] = { a, b, c, d };

	annotate_user(FORMAT_USER_CALL, name, args, n);
}

/* ---- atomic blocks ---- */

/* Blocks of this thread that were logged and not ended: a trace has no end without its begin. */
static __thread uint32_t nblocks;

static void block_begin(const char *name)
{
	HOOK(t) {
		nblocks++;
		sync_words(t, FORMAT_K_BLOCK, FORMAT_BLOCK_BEGIN, name, NULL, 0);
	}
}

static void block_end(void)
{
	HOOK(t) {
		if (nblocks != 0) {
			nblocks--;
			sync_words(t, FORMAT_K_BLOCK, FORMAT_BLOCK_END, NULL, NULL, 0);
		}
	}
}

/* ---- order ---- */

void annotate_channel(unsigned kind, const volatile void *channel)
{
	HOOK(t)
		sync_log(t, kind, FORMAT_CHANNEL_USER, (const void *)(uintptr_t)channel);
}

/* ---- locks ---- */

/* What this thread holds, and how often: an annotation does not say whether the lock was held
 * already. Of more than HELD locks it is not known. */
#define HELD 16
static __thread struct {
	const volatile void *lock;
	uint32_t levels;
	bool read;
} held[HELD];

/* Where it is, or else (levels 0) may be put; -1 nowhere. */
static int held_find(const volatile void *lock, bool read)
{
	int room = -1;

	for (int i = 0; i < HELD; i++) {
		if (held[i].levels == 0)
			room = i;
		else if (held[i].lock == lock && held[i].read == read)
			return i;
	}
	return room;
}

/* Is this one of several levels?  Counts it. */
static bool held_nests(unsigned kind, const volatile void *lock)
{
	bool takes = kind == FORMAT_K_ACQ || kind == FORMAT_K_RACQ;
	int i = held_find(lock, kind == FORMAT_K_RACQ || kind == FORMAT_K_RREL);

	if (i < 0 || (!takes && held[i].levels == 0))
		return false;
	held[i].lock = lock;
	held[i].read = kind == FORMAT_K_RACQ || kind == FORMAT_K_RREL;
	held[i].levels += takes ? 1 : -1u;
	return held[i].levels > (takes ? 1 : 0);
}

uint32_t annotate_levels(const volatile void *lock)
{
	int i = held_find(lock, false);

	return i < 0 ? 0 : held[i].levels;
}

void annotate_lock(unsigned kind, const volatile void *lock, unsigned flags)
{
	bool holds = kind == FORMAT_K_ACQ || kind == FORMAT_K_REL || kind == FORMAT_K_RACQ ||
		     kind == FORMAT_K_RREL;

	if (holds && held_nests(kind, lock))
		flags |= FORMAT_LOCK_RECURSIVE;
	lock_note((const void *)(uintptr_t)lock, kind, FORMAT_LOCK_USER | flags);
}

static unsigned aux_of(unsigned flags)
{
	return (flags & FLAG_TRY ? FORMAT_LOCK_TRY : 0) |
	       (flags & FLAG_NESTS ? FORMAT_LOCK_RECURSIVE : 0);
}

#define INTERPOSED_FORESEE
#include "capture/interposed.def"
