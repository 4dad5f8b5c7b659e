/*
 * A filter allows what the program needs, which may not include our pwrite and membarrier; then
 * these would end in SIGSYS.  So the recording ends just before a filter is set, and says why; from
 * then on the runtime makes no system call of its own.
 */
#include "capture/process.h"

#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "capture/log.h"
#include "capture/real.h"
#include "capture/sys.h"

void sandbox_look(long number, const long a[6])
{
	bool sets = (number == SYS_prctl && a[0] == PR_SET_SECCOMP) ||
		    (number == SYS_seccomp &&
		     (a[0] == SECCOMP_SET_MODE_STRICT || a[0] == SECCOMP_SET_MODE_FILTER));

	if (sets && log_is_on() && fork_is_recorded())
		log_trouble(
			"the program limits its system calls (seccomp): not recorded from there",
			0);
}

EXPORT int prctl(int option, ...)
{
	long a[6] = { option };
	va_list ap;

	va_start(ap, option);
	for (int i = 1; i < 5; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	return (int)syscall(SYS_prctl, a[0], a[1], a[2], a[3], a[4]);
}
