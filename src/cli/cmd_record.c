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
	{ 0 },
};

static int record(void *arg, const struct session *s, char **argv)
{
	struct diag d = { 0 };
	struct launch_end end = { 0 };
	char *path = NULL, *trace = NULL;
	int status = EXIT_OWN_FAILURE;

	(void)arg;
	if (program_find(argv[0], &path, &d) != ST_OK ||
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
	return session_command(c, argc, argv, &(struct session_command){ .act = record });
}

const struct command cmd_record = {
	.name = "record",
	.usage = "[OPTIONS] [--] PROG [ARGS]",
	.summary = "run a program once and write what it did to a trace",
	.details =
		"PROG must be built with foresee-cc. The status is the program's own, 128 plus the\n"
		"signal when one killed it, 125 when foresee itself failed.\n",
	.options = record_options,
	.run = run,
};
