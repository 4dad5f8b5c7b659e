#include "launch/keeper.h"

#include <dirent.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/hang.h"

#define LOOK_MS \
	50 /* between looks for children that have ended, and without pidfd for the program */
#define SWEEP_MS 2
#define SWEEPS \
	1000 /* what is not gone by then is not ours to kill (setuid), or is stuck in the kernel */

/* ---- in the keeper ---- */

static void kill_children(void)
{
	DIR *dir = opendir("/proc");
	const struct dirent *at;

	while (dir && (at = readdir(dir)) != NULL) {
		pid_t pid = (pid_t)strtol(at->d_name, NULL, 10);

		if (pid > 0 && hang_parent(pid) == getpid())
			kill(pid, SIGKILL);
	}
	if (dir)
		closedir(dir);
}

/* Children of who dies become ours, and are next. */
static _Noreturn void sweep(void)
{
	for (int i = 0; i < SWEEPS; i++) {
		pid_t ended;

		while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (ended < 0 && errno == ECHILD)
			break;
		kill_children();
		poll(NULL, 0, SWEEP_MS);
	}
	_exit(0);
}

/* Whoever has ended, but the program: its number stays taken as long as somebody may signal it. */
static bool has_ended(pid_t program, siginfo_t *how)
{
	for (;;) {
		how->si_pid = 0;
		if (waitid(P_PID, (id_t)program, how, WEXITED | WNOHANG | WNOWAIT) != 0 ||
		    how->si_pid != 0)
			return true;
		if (waitid(P_ALL, 0, how, WEXITED | WNOHANG | WNOWAIT) != 0 || how->si_pid == 0)
			return false;
		if (how->si_pid != program)
			waitpid(how->si_pid, NULL, 0);
	}
}

static _Noreturn void keep(pid_t program, int line)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	int fd = (int)syscall(SYS_pidfd_open, program, 0);
	struct pollfd at[] = { { .fd = line, .events = POLLIN }, { .fd = fd, .events = POLLIN } };
	siginfo_t how = { 0 };

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	if (send(line, &program, sizeof(program), MSG_NOSIGNAL) != sizeof(program))
		sweep();
	while (!has_ended(program, &how))
		if (poll(at, 2, LOOK_MS) > 0 && at[0].revents)
			sweep();
	(void)send(line, &how, sizeof(how), MSG_NOSIGNAL);
	at[1].fd = -1;
	while (poll(at, 2, -1) < 0)
		;
	sweep();
}

/* ---- in us ---- */

pid_t keeper_start(struct keeper *k, void (*run)(const void *arg), const void *arg, int unused)
{
	int pair[2];
	pid_t us, program = -1;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	k->pid = fork();
	if (k->pid == 0) {
		close(pair[0]);
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		us = getpid();
		program = fork();
		if (program == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() == us)
				run(arg);
			_exit(126);
		}
		close(unused);
		if (program < 0)
			_exit(errno);
		keep(program, pair[1]);
	}
	close(pair[1]);
	k->line = pair[0];
	if (k->pid > 0 &&
	    recv(k->line, &program, sizeof(program), MSG_WAITALL) != sizeof(program)) {
		int status = 0;

		waitpid(k->pid, &status, 0);
		errno = WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN;
		program = -1;
	}
	if (program < 0)
		close(k->line);
	return program;
}

bool keeper_has_ended(const struct keeper *k, uint64_t within)
{
	struct pollfd line = { .fd = k->line, .events = POLLIN };
	struct timespec time = { .tv_sec = (time_t)(within / 1000000),
				 .tv_nsec = (long)(within % 1000000 * 1000) };

	return ppoll(&line, 1, &time, NULL) > 0;
}

void keeper_end(struct keeper *k, siginfo_t *how)
{
	/* Somebody has killed the keeper; the program dies with it. */
	if (recv(k->line, how, sizeof(*how), MSG_WAITALL) != sizeof(*how))
		*how = (siginfo_t){ .si_code = CLD_KILLED, .si_status = SIGKILL };
	shutdown(k->line, SHUT_RDWR); /* a process forked later has our end too */
	close(k->line);
	while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
