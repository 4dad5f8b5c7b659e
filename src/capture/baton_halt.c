/*
 * A run that stands still, so that somebody can look at it: before a step of the schedule is done, before
 * the first, or where it is at fault.  It goes on when the word in the shared file is taken away, which a
 * debugger does.
 */
#include "capture/baton.h"
#include "capture/sys.h"

#define LOOK_NS 10000000 /* the debugger wakes nobody */

/* A place for a breakpoint: it comes here each time that it stands. */
static __attribute__((noinline)) void stands(void)
{
	__asm__ volatile("" ::: "memory");
}

void baton_halt(uint32_t where)
{
	const struct timespec pause = { 0, LOOK_NS };
	SYS_KEEPS_ERRNO;

	if (where == 0 || baton_head->halt != where)
		return;
	baton_head->address = (uintptr_t)baton_head;
	baton_head->stands = (uintptr_t)&stands;
	__atomic_store_n(&baton_head->halted, 1, __ATOMIC_RELEASE);
	stands();
	while (__atomic_load_n(&baton_head->halted, __ATOMIC_ACQUIRE) != 0)
		syscall(SYS_futex, &baton_head->halted, FUTEX_WAIT, 1, &pause, NULL, 0);
}
