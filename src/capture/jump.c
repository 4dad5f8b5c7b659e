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

	if (t->view.live == 0 && t != &thread_scratch)
		t->left = true;
}

/* One function under three names in libc, too. */
static __typeof__(&longjmp) real_jump(void)
{
	return REAL(longjmp);
}

static __typeof__(&__longjmp_chk) real_checked_jump(void)
{
	return REAL(__longjmp_chk);
}

/* A handler must not be the first to look them up. */
static __attribute__((constructor(101))) void jump_find(void)
{
	real_jump();
	real_checked_jump();
}

EXPORT void longjmp(jmp_buf where, int value)
{
	leave_hook();
	real_jump()(where, value);
}

EXPORT void _longjmp(jmp_buf where, int value)
{
	leave_hook();
	real_jump()(where, value);
}

EXPORT void siglongjmp(sigjmp_buf where, int value)
{
	leave_hook();
	real_jump()(where, value);
}

EXPORT void __longjmp_chk(jmp_buf where, int value)
{
	leave_hook();
	real_checked_jump()(where, value);
}
