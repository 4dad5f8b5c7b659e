/*
 * Runs of the program, one after the other, each in a child of its own: what comes before main is paid
 * once, unless a constructor makes a thread, chooses or ends the process.  The explorer asks by a futex in the shared file, and is answered there.
 *
 *	explorer                server                      child
 *	asked++
 *	                        fork
 *	                        waits for its end           the program
 *	                        answered++
 *
 * Nobody outlives the explorer: the kernel kills the server with it, and the child with the server.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "capture/baton.h"
#include "capture/process.h"
#include "capture/sys.h"

static void wait_until_asked(uint32_t answered)
{
	while (__atomic_load_n(&baton_head->asked, __ATOMIC_ACQUIRE) == answered)
		syscall(SYS_futex, &baton_head->asked, FUTEX_WAIT, answered, NULL, NULL, 0);
}

static void answer(int status)
{
	baton_head->ended = status;
	__atomic_fetch_add(&baton_head->answered, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &baton_head->answered, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void baton_serve(void)
{
	static bool begun;
	pid_t server = getpid(), child;
	int status;

	if (begun)
		return;
	begun = true;
	while (baton_head->served) {
		wait_until_asked(baton_head->answered);
		child = fork_serve();
		if (child == 0) {
			syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
			if (getppid() != server) /* it has died before that */
				syscall(SYS_exit_group, 0);
			break;
		}
		__atomic_store_n(&baton_head->child, child, __ATOMIC_RELEASE);
		if (child < 0)
			syscall(SYS_exit_group, 1);
		while (syscall(SYS_wait4, child, &status, 0, NULL) < 0)
			;
		answer(status);
	}
	baton_run();
}
