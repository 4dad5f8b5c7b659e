#include "launch/side.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Ctrl-C and the like are for the program and for us; we tell the process when it is over. */
static void ignore_requests(void)
{
	static const int requests[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		signal(requests[i], SIG_IGN);
}

static void close_pair(const int pair[2])
{
	close(pair[0]);
	close(pair[1]);
}

bool side_start(struct side *s, int (*work)(void *arg, int stop, int say), void *arg)
{
	int stop[2], said[2], status;
	pid_t us = getpid();

	*s = (struct side){ .stop = -1, .said = -1 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stop) != 0)
		return false;
	if (pipe2(said, O_CLOEXEC) != 0) {
		close_pair(stop);
		return false;
	}
	fflush(NULL);
	s->pid = fork();
	if (s->pid == 0) {
		ignore_requests();
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != us)
			_exit(0);
		close(stop[1]);
		close(said[0]);
		status = work(arg, stop[0], said[1]);
		fflush(NULL);
		_exit(status);
	}
	close(stop[0]);
	close(said[1]);
	s->stop = stop[1];
	s->said = said[0];
	if (s->pid > 0)
		return true;
	close(s->stop);
	close(s->said);
	*s = (struct side){ .stop = -1, .said = -1 };
	return false;
}

bool side_is_over(int stop, int ms)
{
	struct pollfd p = { .fd = stop, .events = POLLIN };

	return poll(&p, 1, ms) > 0;
}

/* A byte, and not only the end of file: a process forked later has our end too. */
void side_tell(struct side *s)
{
	if (s->stop >= 0) {
		(void)send(s->stop, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
		close(s->stop);
	}
	s->stop = -1;
}

static bool has_ended(pid_t pid, int ms)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd end = { .fd = fd, .events = POLLIN };
	bool ended = fd < 0 || poll(&end, 1, ms) != 0;

	if (fd >= 0)
		close(fd);
	return ended;
}

int side_end(struct side *s, int ms)
{
	int status = 0;

	if (s->pid <= 0)
		return -1;
	side_tell(s);
	if (!has_ended(s->pid, ms))
		kill(s->pid, SIGKILL);
	while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(s->said);
	*s = (struct side){ .stop = -1, .said = -1 };
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
