/*
 * The lock recorder is preloaded again into the program that this one becomes by exec: `env PROG',
 * or a shell script that ends with `exec PROG'.  The user wants a recording of PROG; so if this
 * program made no thread, the trace of the next one replaces its trace, under the name that was
 * asked for.
 */
#include "capture/process.h"

#include "capture/log.h"

#define NAME_ROOM 4096u
#define MORE 5u /* variables that are added, and the end */
#define REPLACE "replace\n"

static struct {
	bool set; /* else nothing goes along */
	char preload[NAME_ROOM], trace[NAME_ROOM], pid[32], options[256];
	size_t npreload;
} kept;

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

void locks_exec_keep(const char *preload, size_t n, const char *trace, const char *options)
{
	const char *replace = strstr(options, REPLACE); /* was for us */
	size_t noptions = replace != NULL ? (size_t)(replace - options) : strlen(options);

	kept.set = keep(kept.preload, NAME_ROOM, "LD_PRELOAD=", preload, n) &&
		   keep(kept.trace, NAME_ROOM, "FORESEE_LOCKS=", trace, strlen(trace)) &&
		   keep(kept.options, sizeof(kept.options) - sizeof(REPLACE),
			"FORESEE_LOCKS_OPTIONS=", options, noptions);
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

static void put_pid(void)
{
	struct text t = { .n = 0 };

	text_add(&t, "%lu", (unsigned long)getpid());
	keep(kept.pid, sizeof(kept.pid), "FORESEE_PID=", t.at, t.n);
}

char *const *exec_environment(char *const env[])
{
	static const char name[] = "LD_PRELOAD=";
	size_t n = 0, k = 0, preload = 0;
	char **more;

	if (!kept.set)
		return env;
	while (env[n] != NULL)
		n++;
	for (size_t i = 0; i < n; i++)
		if (strncmp(env[i], name, sizeof(name) - 1) == 0)
			preload = strlen(env[i]);
	/* Gone with the old program; or, if that stays, a few pages that are lost. */
	more = sys_pages((n + MORE) * sizeof(*more) + preload + NAME_ROOM + 1);
	if (more == NULL)
		return env;
	put_pid();
	if (!thread_was_forked() && strstr(kept.options, REPLACE) == NULL)
		strcat(kept.options, REPLACE);
	more[k++] = kept.preload;
	more[k++] = kept.trace;
	more[k++] = kept.pid;
	more[k++] = kept.options;
	for (size_t i = 0; i < n; i++) {
		if (strncmp(env[i], name, sizeof(name) - 1) != 0)
			more[k++] = env[i];
		else if (env[i][sizeof(name) - 1] != '\0')
			more[0] =
				preload_with((char *)(more + n + MORE), env[i] + sizeof(name) - 1);
	}
	more[k] = NULL;
	return more;
}
