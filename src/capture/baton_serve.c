/*
 * Runs of the program, one after the other, each in a child of its own: what comes before main is paid
 * once, unless a constructor makes a thread, chooses or ends the process.  The explorer asks by a futex
 * in the shared file, and is answered there.
 *
 *	explorer                server                      child
 *	asked++
 *	                        fork
 *	                        waits for its end           the program
 *	                        answered++, bell++
 *
 * There are as many servers as runs that may go on side by side, each with its part of the file.  They are
 * children of the process that the explorer has started, which does nothing else.
 *
 * Nobody outlives the explorer: the kernel kills that process with it, and with their parents the servers
 * and the children.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "capture/baton.h"
#include "capture/fiber.h"
#include "capture/log.h"
#include "capture/process.h"
#include "capture/sys.h"

static void wait_until_asked(uint32_t answered)
{
	while (__atomic_load_n(&baton_head->asked, __ATOMIC_ACQUIRE) == answered)
		syscall(SYS_futex, &baton_head->asked, FUTEX_WAIT, answered, NULL, NULL, 0);
}

void baton_serve_answer(int status)
{
	baton_head->ended = status;
	__atomic_fetch_add(&baton_head->answered, 1, __ATOMIC_RELEASE);
	__atomic_fetch_add(&baton_file->bell, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &baton_file->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

pid_t baton_serve_bear(void)
{
	pid_t us = getpid(), child = fork_serve();

	if (child == 0) {
		syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		if (getppid() != us) /* it has died before that */
			syscall(SYS_exit_group, 0);
	}
	return child;
}

/* Returns in a run. */
static void serve(void)
{
	pid_t child;
	int status;

	__atomic_store_n(&baton_head->server, getpid(), __ATOMIC_RELEASE);
	for (;;) {
		switch (fiber_server_listen()) {
		case FIBER_RUNS:
			return;
		case FIBER_HANDS:
			break;
		case FIBER_NONE:
			wait_until_asked(baton_head->answered);
		}
		child = baton_serve_bear();
		if (child == 0)
			return;
		__atomic_store_n(&baton_head->child, child, __ATOMIC_RELEASE);
		if (child < 0)
			syscall(SYS_exit_group, 1);
		while (syscall(SYS_wait4, child, &status, 0, NULL) < 0)
			;
		fiber_server_compare(status);
		baton_serve_answer(status);
	}
}

/* Until the last of the servers has ended. */
static _Noreturn void stay(void)
{
	for (;;)
		if (syscall(SYS_wait4, -1, NULL, 0, NULL) < 0 && errno != EINTR)
			syscall(SYS_exit_group, 1);
}

/* From now on ours is another part of the file, at the same address. */
static void change_part(uint32_t i)
{
	if (sys_mmap(baton_head, baton_file->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		     baton_file_fd, (off_t)(BATON_PAGE + i * baton_file->size)) == MAP_FAILED)
		syscall(SYS_exit_group, 1);
}

static void redirect(int fd, const char *path)
{
	int to;

	if (*path == '\0')
		return;
	to = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (to < 0 || syscall(SYS_dup2, to, fd) < 0)
		syscall(SYS_exit_group, 1);
	syscall(SYS_close, to);
}

static void become_server(void)
{
	uint32_t i = 1;

	while (i <= baton_file->jobs && baton_serve_bear() != 0)
		i++;
	if (i > baton_file->jobs)
		stay();
	change_part(i);
	redirect(STDOUT_FILENO, baton_head->out);
	redirect(STDERR_FILENO, baton_head->err);
}

void baton_serve(void)
{
	static bool begun;

	if (begun)
		return;
	begun = true;
	if (baton_head->served) {
		control_bare = true;
		real_find_all();
		log_mute(thread_self());
		become_server();
		serve();
		if (!fiber_on) /* else that is done */
			baton_pin();
	}
	if (baton_file_fd >= 0)
		syscall(SYS_close, baton_file_fd);
	baton_run();
}
