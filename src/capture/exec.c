/*
 * A program that becomes another one.  Its trace ends here, as if it had been killed: the threads
 * are gone, and none of them said so.  The next program, if it can be recorded, gets a trace of its
 * own (start_next), and this one says which.
 *
 * Only in the recorded process: children are not recorded.  A child of vfork runs in our memory,
 * and is told apart by its process number.
 */
#include "capture/process.h"

#include <alloca.h>

#include "capture/channel.h"
#include "capture/log.h"

#define ARGS_MAX 65536u

extern char **environ;

typedef int exec_call(const char *, char *const[], char *const[]);

static int exec_go(const char *path, char *const argv[], char *const env[], exec_call *call)
{
	int r;

	channel_forked(); /* a child of vfork tells its parent so */
	if (path == NULL || env == NULL || !log_is_on() || !fork_is_recorded())
		return call(path, argv, env);
	log_note(
		"the program became another one by exec of %s; that one's trace, if it is recorded, "
		"is %s",
		path, start_next());
	file_became(true);
	r = call(path, argv, exec_environment(env));
	file_became(false);
	log_note("no: exec of %s failed, and the program went on", path);
	return r;
}

REAL_EARLY(execve)
REAL_EARLY(execvpe)

/* ---- arguments as a list ---- */

static size_t count(va_list ap)
{
	size_t n = 1;

	while (va_arg(ap, char *) != NULL && n < ARGS_MAX)
		n++;
	return n;
}

/* first, then those of ap up to NULL; argv has room. */
static void gather(char **argv, const char *first, va_list ap)
{
	*argv = (char *)(uintptr_t)first;
	while (*argv != NULL)
		*++argv = va_arg(ap, char *);
}

#define LIST(name, call, environment)                                   \
	EXPORT int name(const char *path, const char *arg, ...)         \
	{                                                               \
		va_list ap, again;                                      \
		char *const *env = environ;                             \
		va_start(ap, arg);                                      \
		va_copy(again, ap);                                     \
		size_t n = count(again);                                \
		char **argv = alloca((n + 1) * sizeof(*argv));          \
		va_end(again);                                          \
		gather(argv, arg, ap);                                  \
		if (environment)                                        \
			env = va_arg(ap, char *const *);                \
		va_end(ap);                                             \
		return exec_go(path, argv, (char *const *)env, call()); \
	}

LIST(execl, real_execve, false)
LIST(execlp, real_execvpe, false)
LIST(execle, real_execve, true)

#define INTERPOSED_EXEC
#include "capture/interposed.def"
