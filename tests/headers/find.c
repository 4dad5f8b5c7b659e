/*
 * Calls each function, in a process of its own, and tells what came of it:
 *
 *	NAME wrote ROOM BYTE FILL	it left something in that argument's memory, which was full of FILL
 *	NAME static 0 BYTE 0		the second call changed what the first had returned a pointer to
 *	NAME nothing
 *	NAME crashed SIGNAL		or took too long
 */
#include "calls.h"

#include "watch.h"

static char room[CALLS_ROOMS][CALLS_ROOM];

static void tell(const char *name, const char *what, int where, long at, int fill)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "%s %s %d %ld %d\n", name, what, where, at, fill);

	if (write(9, line, (size_t)n) != n)
		_exit(2);
}

/* Ends: 0 something was found. */
static void find(int i, int fill)
{
	void *first, *second;

	memset(room, fill, sizeof(room));
	first = call_make(i, room, 0, room[0], room[1], room[2], room[3]);
	for (int k = 0; k < CALLS_ROOMS; k++) {
		long at = watch_find(room[k], CALLS_ROOM, fill);

		if (at >= 0) {
			tell(calls[i].name, "wrote", k, at, fill);
			_exit(0);
		}
	}
	if ((uintptr_t)first < 65536 || fill != 0)
		_exit(1);
	watch_keep(first, CALLS_STATIC);
	second = call_make(i, room, 1, room[0], room[1], room[2], room[3]);
	if (second == first && watch_changed(first, CALLS_STATIC) >= 0) {
		tell(calls[i].name, "static", 0, watch_changed(first, CALLS_STATIC), 0);
		_exit(0);
	}
	_exit(1);
}

/* In a process of its own: how it ended. */
static int find_apart(int i, int fill)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		setpgid(0, 0);
		dup2(10, 0);
		dup2(open("/dev/null", O_WRONLY), 1);
		dup2(1, 2);
		watch_rewind(lines, 10);
		alarm(2);
		find(i, fill);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		_exit(2);
	kill(-pid, SIGKILL); /* what it may have made */
	return status;
}

int main(void)
{
	if (!calls_ready() || dup2(1, 9) != 9)
		return 2;
	for (int i = 0; i < CALLS; i++) {
		int status = find_apart(i, 0);

		if (calls[i].any && WIFEXITED(status) && WEXITSTATUS(status) != 0)
			status = find_apart(i, 1);
		if (WIFSIGNALED(status))
			tell(calls[i].name, "crashed", WTERMSIG(status), 0, 0);
		else if (WEXITSTATUS(status) != 0)
			tell(calls[i].name, "nothing", WEXITSTATUS(status), 0, 0);
	}
	return 0;
}
