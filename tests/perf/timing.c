/*
 * timing [-t SECONDS] -o FILE PROGRAM [ARGS]: run a program and write to FILE
 * one line: wall-clock seconds, peak resident KiB, exit status.
 *
 * The peak is that of the largest process among the program and its waited-for
 * descendants.  The status is as the shell has it; 124 when the time was up, in
 * which case the whole process group is killed.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t child; /* process group to kill when time is up */
static volatile sig_atomic_t late;

static void on_alarm(int sig)
{
	(void)sig;
	late = 1;
	kill(-(pid_t)child, SIGKILL);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int run(char **argv, unsigned limit, double *wall, long *rss)
{
	struct sigaction act = { .sa_handler = on_alarm };
	struct rusage usage;
	double begin = now();
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return 125;
	if (pid == 0) {
		setpgid(0, 0);
		execvp(argv[0], argv);
		fprintf(stderr, "timing: cannot run '%s': %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	setpgid(pid, pid); /* both sides do it: whoever is first */
	child = pid;
	sigaction(SIGALRM, &act, NULL);
	alarm(limit);
	while (wait4(pid, &status, 0, &usage) < 0) {
		if (errno != EINTR)
			return 125;
	}
	alarm(0);
	*wall = now() - begin;
	*rss = usage.ru_maxrss;
	if (late)
		return 124;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	const char *path = NULL;
	unsigned limit = 0;
	double wall = 0;
	long rss = 0;
	int c, status;
	FILE *out;

	while ((c = getopt(argc, argv, "+o:t:")) != -1) {
		if (c == 'o')
			path = optarg;
		else if (c == 't')
			limit = (unsigned)strtoul(optarg, NULL, 10);
		else
			return 2;
	}
	if (!path || optind == argc) {
		fprintf(stderr, "usage: timing [-t SECONDS] -o FILE PROGRAM [ARGS]\n");
		return 2;
	}
	status = run(argv + optind, limit, &wall, &rss);
	out = fopen(path, "w");
	if (!out || fprintf(out, "%.4f %ld %d\n", wall, rss, status) < 0 || fclose(out) != 0) {
		fprintf(stderr, "timing: cannot write '%s': %s\n", path, strerror(errno));
		return 125;
	}
	return status;
}
