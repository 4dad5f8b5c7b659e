/*
 * Jumps out of signal handlers.
 *
 * A handler may leave by longjmp, and the hook it interrupted never ends: its
 * event may have been named by others and not been logged.  The thread cannot
 * say which, so its next hook stops the recording (hook_enter_slow).
 * Not here: we are in the handler still, and the hook may hold a lock.
 */
#include <setjmp.h>

#include "capture/real.h"
#include "capture/thread.h"

EXPORT void __longjmp_chk(jmp_buf where, int value) __attribute__((noreturn));

static void leave_hook(void)
{
	struct thread *t = thread_self();

	if (thread_is_inside(t))
		t->left = true;
}

/* One function under three names in libc, too. */
REAL_EARLY(longjmp)
REAL_EARLY(__longjmp_chk)

EXPORT void longjmp(jmp_buf where, int value)
{
	leave_hook();
	real_longjmp()(where, value);
}

EXPORT void _longjmp(jmp_buf where, int value)
{
	leave_hook();
	real_longjmp()(where, value);
}

EXPORT void siglongjmp(sigjmp_buf where, int value)
{
	leave_hook();
	real_longjmp()(where, value);
}

EXPORT void __longjmp_chk(jmp_buf where, int value)
{
	leave_hook();
	real___longjmp_chk()(where, value);
}
