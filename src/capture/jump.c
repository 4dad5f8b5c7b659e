/*
 * Jumps out of signal handlers.
 *
 * If a handler leaves by longjmp, the hook that it interrupted never ends.  Others may have named
 * the event of that hook already, and it is not logged; so the thread's next hook stops the
 * recording (hook_enter_slow).  It is not stopped here: this is still the handler, and the hook may
 * hold a lock.
 */
#include <setjmp.h>

#include "capture/thread.h"

EXPORT void __longjmp_chk(jmp_buf where, int value) __attribute__((noreturn));

static void leave_hook(void)
{
	struct thread *t = thread_self();

	if (thread_is_inside(t))
		t->left = true;
}

/* In libc as well the first three are one function. */
REAL_EARLY(longjmp)
REAL_EARLY(__longjmp_chk)

#define INTERPOSED_JUMPS
#include "capture/interposed.def"
