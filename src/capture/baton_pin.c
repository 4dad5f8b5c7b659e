/*
 * A run stays on the processor on which it begins: one thread runs at a time, and to wake another one is
 * cheaper where it has run before.  Which one that is, the kernel has decided a moment ago.
 *
 * The program is not to know.  Who asks where threads may run is told what it was before, unless the program
 * has had a say in it.
 */
#include <sched.h>

#include "capture/baton.h"
#include "capture/real.h"

static cpu_set_t before, pinned;
static bool is_pinned;

void baton_pin(void)
{
	unsigned cpu = 0;

	if (syscall(SYS_getcpu, &cpu, NULL, NULL) != 0 || cpu >= CPU_SETSIZE ||
	    syscall(SYS_sched_getaffinity, 0, sizeof(before), &before) <= 0)
		return;
	CPU_SET(cpu, &pinned);
	is_pinned = syscall(SYS_sched_setaffinity, 0, sizeof(pinned), &pinned) == 0;
}

static void hide(cpu_set_t *set, size_t n)
{
	if (is_pinned && n <= sizeof(before) && memcmp(set, &pinned, n) == 0)
		memcpy(set, &before, n);
}

#define INTERPOSED_PINS
#include "capture/interposed.def"
