/*
 * A program that becomes another one: `env PROG', a shell script that ends with `exec PROG'.  What
 * was asked for is a recording of PROG, so the recorder goes along and begins anew.
 *
 * Only for the process that records itself: children run unrecorded, those of vfork too, which are
 * in our memory and have another number.
 */
#include <stdlib.h>
#include <string.h>

#include "capture/locks_exec.h"
#include "capture/log.h"
#include "capture/real.h"
#include "capture/sys.h"

#define NAME_ROOM 4096u
#define MORE 4u /* variables that are added, and the end */

static struct {
	pid_t process; /* 0: nothing goes along */
	char preload[NAME_ROOM], trace[NAME_ROOM], pid[32];
	size_t npreload;
} kept;

extern char **environ;

static bool keep(char *into, size_t room, const char *name, const char *value, size_t n)
{
	size_t k = strlen(name);

	if (k + n + 1 > room)
		return false;
	memcpy(into, name, k);
	memcpy(into + k, value, n);
	into[k + n] = '\0';
	return true;
}

void locks_exec_keep(const char *preload, size_t n, const char *trace, const char *pid)
{
	if (keep(kept.preload, NAME_ROOM, "LD_PRELOAD=", preload, n) &&
	    keep(kept.trace, NAME_ROOM, "FORESEE_LOCKS=", trace, strlen(trace)) &&
	    keep(kept.pid, sizeof(kept.pid), "FORESEE_PID=", pid, strlen(pid)))
		kept.process = getpid();
	kept.npreload = strlen(kept.preload);
}

/* What the program preloads comes behind. */
static char *preload_with(char *room, const char *others)
{
	memcpy(room, kept.preload, kept.npreload);
	room[kept.npreload] = ':';
	memcpy(room + kept.npreload + 1, others, strlen(others) + 1);
	return room;
}

static int with_recorder(char *const env[], int (*call)(const char *, char *const[], char *const[]),
			 const char *path, char *const argv[])
{
	static const char name[] = "LD_PRELOAD=";
	size_t n = 0, k = 0, preload = 0;
	char **more;

	while (env[n] != NULL)
		n++;
	for (size_t i = 0; i < n; i++)
		if (strncmp(env[i], name, sizeof(name) - 1) == 0)
			preload = strlen(env[i]);
	/* Gone with the old program; or, if that stays, a few pages that are lost. */
	more = sys_pages((n + MORE) * sizeof(*more) + preload + NAME_ROOM + 1);
	if (more == NULL)
		return call(path, argv, env);
	more[k++] = kept.preload;
	more[k++] = kept.trace;
	more[k++] = kept.pid;
	for (size_t i = 0; i < n; i++) {
		if (strncmp(env[i], name, sizeof(name) - 1) != 0)
			more[k++] = env[i];
		else if (env[i][sizeof(name) - 1] != '\0')
			more[0] =
				preload_with((char *)(more + n + MORE), env[i] + sizeof(name) - 1);
	}
	more[k] = NULL;
	return call(path, argv, more);
}

static int go(const char *path, char *const argv[], char *const env[],
	      int (*call)(const char *, char *const[], char *const[]))
{
	if (kept.process == 0 || env == NULL || getpid() != kept.process || !log_is_on())
		return call(path, argv, env);
	return with_recorder(env, call, path, argv);
}

REAL_EARLY(execve)
REAL_EARLY(execvpe)

EXPORT int execve(const char *path, char *const argv[], char *const env[])
{
	return go(path, argv, env, real_execve());
}

EXPORT int execv(const char *path, char *const argv[])
{
	return go(path, argv, environ, real_execve());
}

EXPORT int execvpe(const char *file, char *const argv[], char *const env[])
{
	return go(file, argv, env, real_execvpe());
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return go(file, argv, environ, real_execvpe());
}
