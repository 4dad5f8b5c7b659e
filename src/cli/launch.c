#include "cli/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "cli/talk.h"

static const int passed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
#define NPASSED (sizeof(passed_on) / sizeof(passed_on[0]))

static volatile sig_atomic_t child; /* pid; set before the handler can run */

/* The terminal signals the whole foreground group: the program has that one already. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code != SI_KERNEL && child > 0)
		kill((pid_t)child, number);
}

/* Runs in the child; reports trouble as an errno through the pipe. */
static _Noreturn void become(const struct launch *l, const sigset_t *mask, int report)
{
	char pid[32];
	int error;

	sigprocmask(SIG_SETMASK, mask, NULL);
	if (l->trace) {
		snprintf(pid, sizeof(pid), "%ld", (long)getpid());
		setenv("FORESEE_TRACE", l->trace, 1);
		setenv("FORESEE_OPTIONS", l->options, 1);
		setenv("FORESEE_PID", pid, 1);
	}
	execv(l->path, l->argv);
	error = errno;
	if (write(report, &error, sizeof(error)) != sizeof(error))
		_exit(126);
	_exit(127);
}

static void wait_for(pid_t pid, struct launch_end *end)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	memset(end, 0, sizeof(*end));
	if (WIFSIGNALED(status)) {
		end->signal = WTERMSIG(status);
		end->status = 128 + end->signal;
		end->dumped = WCOREDUMP(status);
	} else {
		end->status = WEXITSTATUS(status);
	}
}

/* Forks with the signals held back, so that none gets lost before `child' is set. */
static pid_t start(const struct launch *l, int report[2], struct sigaction *old)
{
	struct sigaction action = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };
	sigset_t block, mask;
	pid_t pid;

	sigemptyset(&block);
	for (size_t i = 0; i < NPASSED; i++)
		sigaddset(&block, passed_on[i]);
	sigprocmask(SIG_BLOCK, &block, &mask);
	pid = fork();
	if (pid == 0)
		become(l, &mask, report[1]);
	child = (sig_atomic_t)pid;
	for (size_t i = 0; i < NPASSED; i++) {
		sigaction(passed_on[i], NULL, &old[i]);
		if (old[i].sa_handler != SIG_IGN)
			sigaction(passed_on[i], &action, NULL);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return pid;
}

enum status launch_program(const struct launch *l, struct launch_end *end, struct diag *d)
{
	struct sigaction old[NPASSED];
	double begun = talk_clock();
	int report[2], error = 0;
	pid_t pid;

	fflush(NULL);
	if (pipe2(report, O_CLOEXEC) != 0) {
		diag_set(d, "cannot make a pipe: %s", strerror(errno));
		return ST_IO;
	}
	pid = start(l, report, old);
	error = pid < 0 ? errno : 0;
	close(report[1]);
	if (pid > 0) {
		if (read(report[0], &error, sizeof(error)) != sizeof(error))
			error = 0;
		wait_for(pid, end);
	}
	close(report[0]);
	child = 0;
	for (size_t i = 0; i < NPASSED; i++)
		sigaction(passed_on[i], &old[i], NULL);
	end->seconds = talk_clock() - begun;
	if (error) {
		diag_set(d, "cannot run '%s': %s", l->path, strerror(error));
		return ST_IO;
	}
	return ST_OK;
}
