/*
 * The annotations of the thread sanitizer (sanitizer/tsan_interface.h), in a program that has them.
 *
 *	pre_lock         the thread asks for the lock; not that it has to wait
 *	post_lock        it has it, or a try failed
 *	pre_unlock       it gives it up
 *
 * The sanitizer ignores what a program does between pre and post.  Here these accesses are recorded
 * like all others.  They order as accesses do, so a lock made of them is ordered twice, and
 * predictions may be missed; but what else the program does in there is not lost, and no read is
 * left without the write that it saw.  So the calls that only end such a stretch (post_unlock,
 * signal, divert) do nothing here.
 */
#include <stdint.h>

#include "capture/annotate.h"
#include "capture/interposed.h"
#include "trace/format.h"

/* Flags, as that header has them. */
#define LINKER_INIT (1u << 0)
#define WRITE_NESTS (1u << 1)
#define READ_NESTS (1u << 2)
#define READ_LOCK (1u << 3)
#define TRY_LOCK (1u << 4)
#define TRY_FAILED (1u << 5)
#define MANY_LOCK (1u << 6)
#define MANY_UNLOCK (1u << 7)
#define NOT_STATIC (1u << 8)

void __tsan_mutex_pre_lock(void *addr, unsigned flags);
void __tsan_mutex_post_lock(void *addr, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void *addr, unsigned flags);

static unsigned aux_of(unsigned flags)
{
	return (flags & TRY_LOCK ? FORMAT_LOCK_TRY : 0) |
	       (flags & (WRITE_NESTS | READ_NESTS) ? FORMAT_LOCK_RECURSIVE : 0);
}

/* Whether the thread will have to wait is not known; if the run ends here, it had to.  A thread
 * that holds the lock already takes one that nests, and asks for nothing. */
EXPORT void __tsan_mutex_pre_lock(void *addr, unsigned flags)
{
	if (!(flags & TRY_LOCK) && annotate_levels(addr) == 0)
		annotate_lock(flags & READ_LOCK ? FORMAT_K_RREQ : FORMAT_K_REQ, addr,
			      aux_of(flags));
}

EXPORT void __tsan_mutex_post_lock(void *addr, unsigned flags, int recursion)
{
	int levels = flags & MANY_LOCK && recursion > 0 ? recursion : 1;

	if (flags & TRY_FAILED) {
		annotate_lock(FORMAT_K_TRYFAIL, addr, aux_of(flags | TRY_LOCK));
		return;
	}
	for (; levels > 0; levels--)
		annotate_lock(flags & READ_LOCK ? FORMAT_K_RACQ : FORMAT_K_ACQ, addr,
			      aux_of(flags));
}

EXPORT int __tsan_mutex_pre_unlock(void *addr, unsigned flags)
{
	int levels = 1;

	if (flags & READ_LOCK) {
		annotate_lock(FORMAT_K_RREL, addr, aux_of(flags));
		return 0;
	}
	if ((flags & MANY_UNLOCK) && annotate_levels(addr) != 0)
		levels = (int)annotate_levels(addr);
	for (int i = 0; i < levels; i++)
		annotate_lock(FORMAT_K_REL, addr, aux_of(flags));
	return levels;
}

#define INTERPOSED_TSAN
#include "capture/interposed.def"
