#include "launch/beside.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#define END_MS 2000

struct company {
	const char *command;
	pid_t program;
};

static _Noreturn void become(const struct company *c)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	char number[16];

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(number, sizeof(number), "%ld", (long)c->program);
	setenv("FORESEE_TARGET", number, 1);
	if (dup2(open("/dev/null", O_RDONLY), STDIN_FILENO) < 0 ||
	    dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(126);
	execl("/bin/sh", "sh", "-c", c->command, (char *)NULL);
	_exit(127);
}

/* In a group with whatever the command starts: all of it goes at once. */
static int keep_company(void *arg, int stop, int say)
{
	pid_t pid;

	(void)say;
	setpgid(0, 0);
	pid = fork();
	if (pid == 0)
		become(arg);
	side_is_over(stop, -1);
	kill(0, SIGKILL);
	return 0;
}

void beside_start(struct side *s, const char *command, pid_t program)
{
	struct company c = { .command = command, .program = program };

	if (!side_start(s, keep_company, &c))
		talk_error("cannot run the command of --beside: %s", strerror(errno));
}

void beside_end(struct side *s)
{
	if (s->pid <= 0)
		return;
	side_tell(s);
	side_end(s, END_MS);
}
