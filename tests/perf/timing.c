/*
 * timing [-c] [-t SECONDS] -o FILE PROGRAM [ARGS]: run a program and write to FILE
 * one line: wall-clock seconds, peak resident KiB, exit status; with -c also the processor time of the
 * program and its waited-for descendants, user and system, in seconds.
 *
 * The peak is that of the largest process among the program and its waited-for
 * descendants.  The status is as the shell has it; 124 when the time was up, in
 * which case the whole process group is killed.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
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

struct cost {
	double wall, cpu;
	long rss;
};

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static int run(char **argv, unsigned limit, struct cost *cost)
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
	cost->wall = now() - begin;
	cost->cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
	cost->rss = usage.ru_maxrss;
	if (late)
		return 124;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	const char *path = NULL;
	unsigned limit = 0;
	struct cost cost = { 0 };
	bool with_cpu = false;
	int c, status;
	FILE *out;

	while ((c = getopt(argc, argv, "+co:t:")) != -1) {
		if (c == 'o')
			path = optarg;
		else if (c == 'c')
			with_cpu = true;
		else if (c == 't')
			limit = (unsigned)strtoul(optarg, NULL, 10);
		else
			return 2;
	}
	if (!path || optind == argc) {
		fprintf(stderr, "usage: timing [-c] [-t SECONDS] -o FILE PROGRAM [ARGS]\n");
		return 2;
	}
	status = run(argv + optind, limit, &cost);
	out = fopen(path, "w");
	if (!out || fprintf(out, "%.4f %ld %d", cost.wall, cost.rss, status) < 0 ||
	    (with_cpu && fprintf(out, " %.3f", cost.cpu) < 0) || fputc('\n', out) == EOF ||
	    fclose(out) != 0) {
		fprintf(stderr, "timing: cannot write '%s': %s\n", path, strerror(errno));
		return 125;
	}
	return status;
}
