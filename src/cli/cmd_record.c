#include "base/diag.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/launch.h"
#include "cli/program.h"
#include "cli/session.h"
#include "cli/talk.h"

static const struct option_def record_options[] = {
	{ SESSION_TRACE, 'o', "output", "TRACE", SESSION_TRACE_HELP },
	SESSION_OPTIONS,
	{ SESSION_VERBOSE, 'v', "verbose", NULL, "announce locking patterns as they appear" },
	{ 0 },
};

static int record(void *arg, const struct session *s, char **argv)
{
	struct diag d = { 0 };
	struct launch_end end = { 0 };
	char *path = NULL, *trace = NULL;
	int status = EXIT_OWN_FAILURE;

	(void)arg;
	if (program_find(argv[0], s->locks, &path, &d) != ST_OK ||
	    session_record(s, argv[0], path, argv, &trace, &end, &d) != ST_OK) {
		talk_error("%s", d.message);
	} else {
		session_summary(s, trace, &end);
		status = end.status;
	}
	mem_free(trace);
	mem_free(path);
	return status;
}

static int run(const struct command *c, int argc, char **argv)
{
	return session_command(c, argc, argv,
			       &(struct session_command){ .act = record,
							  .hang = LAUNCH_HANG_TELL,
							  .announce = SESSION_VERBOSE });
}

const struct command cmd_record = {
	.name = "record",
	.usage = "[OPTIONS] [--] PROG [ARGS]",
	.summary = "run a program once and write what it did to a trace",
	.details =
		"PROG must be built with foresee-cc, or --locks-only given. The status is the\n"
		"program's own, 128 plus the signal when one killed it, 125 when foresee itself\n"
		"failed.\n",
	.options = record_options,
	.run = run,
};
