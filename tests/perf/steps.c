/*
 * steps -o FILE PROGRAM [ARGS]: run a program and write to FILE how many instructions one of its threads executes
 * between two breakpoints of its own (int3); nothing is written if none comes by both.
 *
 * Every instruction is a step of a debugger: virtual machines mostly have no counters for it, and the thread
 * sanitizer runs under no simulator.  Some 100 000 a second; one that repeats (rep) counts as often as it does.
 * The program may start others, as foresee record does.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLLOW                                                                                 \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | \
	 PTRACE_O_EXITKILL)

static pid_t counted; /* the thread between its breakpoints; 0: none */
static uint64_t steps;
static unsigned marks;

/* A thread has stopped: the signal that it goes on with. */
static int stop(pid_t pid, int status)
{
	siginfo_t info;

	if (status >> 16 != 0 || WSTOPSIG(status) == SIGSTOP) /* it has begun another, or begins */
		return 0;
	if (WSTOPSIG(status) != SIGTRAP)
		return WSTOPSIG(status);
	if (ptrace(PTRACE_GETSIGINFO, pid, 0, &info) == 0 && info.si_code == SI_KERNEL)
		counted = ++marks == 1 ? pid : 0;
	else
		steps += pid == counted;
	return 0;
}

/* Follows all of them to their end; the status of the first. */
static int follow(pid_t first)
{
	int status, result = 125;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		int sig;

		if (!WIFSTOPPED(status)) {
			if (pid == first)
				result = WIFEXITED(status) ? WEXITSTATUS(status)
							   : 128 + WTERMSIG(status);
			continue;
		}
		sig = stop(pid, status);
		ptrace(pid == counted ? PTRACE_SINGLESTEP : PTRACE_CONT, pid, 0,
		       (void *)(intptr_t)sig);
	}
	return result;
}

static pid_t start(char **argv)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		execvp(argv[0], argv);
		fprintf(stderr, "steps: cannot run '%s': %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid ||
	    ptrace(PTRACE_SETOPTIONS, pid, 0, (void *)(intptr_t)FOLLOW) != 0 ||
	    ptrace(PTRACE_CONT, pid, 0, 0) != 0)
		return -1;
	return pid;
}

int main(int argc, char **argv)
{
	FILE *out;
	pid_t pid;
	int status;

	if (argc < 4 || strcmp(argv[1], "-o") != 0) {
		fprintf(stderr, "usage: steps -o FILE PROGRAM [ARGS]\n");
		return 125;
	}
	pid = start(argv + 3);
	if (pid < 0) {
		fprintf(stderr, "steps: cannot trace: %s\n", strerror(errno));
		return 125;
	}
	status = follow(pid);
	out = fopen(argv[2], "w");
	if (out == NULL)
		return 125;
	if (marks == 2)
		fprintf(out, "%llu\n", (unsigned long long)steps);
	return fclose(out) == 0 ? status : 125;
}
