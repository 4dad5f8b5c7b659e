/*
 *	FORESEE_LOCKS    where to write; absent: record nothing
 *	FORESEE_PID      the one process that may
 *	FORESEE_LOCKS_OPTIONS  lines: keep=BYTES, linger=MS, follow-fork, replace
 *	LD_PRELOAD       this library first, then what the user had there
 *
 * Names of their own, so that the runtime of a program built with foresee-cc stays
 * quiet.  What `foresee' has put into the environment is taken out again: the
 * program, and the programs that it starts, see what the user gave it.
 *
 * By hand, for shells have a getenv and an unsetenv of their own, about variables of theirs; and
 * in place, for the environment that main gets as an argument is this one.
 */
#include "capture/log.h"
#include "capture/process.h"

extern char **environ;

static bool is_of(const char *variable, const char *name)
{
	size_t n = strlen(name);

	return strncmp(variable, name, n) == 0 && variable[n] == '=';
}

static char *get(const char *name)
{
	for (char **e = environ; e != NULL && *e != NULL; e++)
		if (is_of(*e, name))
			return *e + strlen(name) + 1;
	return NULL;
}

static void drop(const char *name)
{
	char **to = environ;

	for (char **e = environ; *e != NULL; e++)
		if (!is_of(*e, name))
			*to++ = *e;
	*to = NULL;
}

static void preload_drop(char *list)
{
	char *rest = strchr(list, ':');

	if (rest == NULL)
		drop("LD_PRELOAD");
	else
		memmove(list, rest + 1, strlen(rest + 1) + 1);
}

bool start_option(const char *s, size_t n)
{
	(void)s, (void)n; /* `replace' was for start_asked */
	return true;
}

const char *start_asked(struct log_options *opt)
{
	const char *path = get("FORESEE_LOCKS"), *pid = get("FORESEE_PID");
	const char *options = get("FORESEE_LOCKS_OPTIONS");
	char *list = get("LD_PRELOAD");
	bool own;

	if (path == NULL || pid == NULL || list == NULL)
		return NULL;
	own = strtol(pid, NULL, 10) == getpid();
	if (own) {
		locks_exec_keep(list, strcspn(list, ":"), path, options ? options : "");
		if (options != NULL && strstr(options, "replace\n") != NULL)
			/* Of a program that made no thread and became this one. */
			(void)unlink(path);
	}
	preload_drop(list);
	drop("FORESEE_LOCKS");
	drop("FORESEE_PID");
	drop("FORESEE_LOCKS_OPTIONS");
	if (!own)
		return NULL;
	opt->locks = true;
	start_options(opt, options, get("FORESEE_CUT"));
	return path;
}

void start_not(void)
{
}

/* What they need is there before the first thread is. */
bool start_prepare(void)
{
	if (locks_tag_start() && locks_site_start())
		return true;
	log_trouble("no memory for the tables of locks and places", errno);
	return false;
}
