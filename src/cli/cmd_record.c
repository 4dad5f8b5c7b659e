#include "base/diag.h"
#include "base/mem.h"
#include "base/talk.h"
#include "cli/command.h"
#include "cli/session_options.h"
#include "launch/launch.h"
#include "launch/program.h"
#include "launch/session.h"
#include "live/forward.h"

#define RECORD_OBSERVER 1
#define RECORD_TOKEN 2
#define RECORD_TOKEN_FILE 3
#define RECORD_WAIT 4

static const struct option_def record_options[] = {
	{ SESSION_TRACE, 'o', "output", "TRACE", SESSION_TRACE_HELP },
	SESSION_OPTIONS,
	{ RECORD_OBSERVER, 0, "observer", "ADDR",
	  "send the recording, as it grows, to 'foresee observe'" },
	{ RECORD_TOKEN_FILE, 0, "token-file", "FILE", "the token that the observer wants" },
	{ RECORD_TOKEN, 0, "token", "TOKEN", "the same; others can see it in the process list" },
	{ RECORD_WAIT, 0, "observer-wait", "SECONDS",
	  "send what is left for so long after the end; default 10" },
	{ SESSION_VERBOSE, 'v', "verbose", NULL, "announce locking patterns as they appear" },
	{ 0 },
};

static bool take_option(void *arg, const struct option_parser *p, int id, const char *value)
{
	struct forward *f = arg;

	f->asked = true;
	switch (id) {
	case RECORD_OBSERVER:
		f->observer = value;
		return true;
	case RECORD_TOKEN:
		f->token_given = value;
		return true;
	case RECORD_TOKEN_FILE:
		f->token_file = value;
		return true;
	case RECORD_WAIT:
		return option_number(p, "--observer-wait", value, 0, 86400, &f->wait);
	default:
		BUG("option %d is not of record", id);
	}
}

static int record(void *arg, struct session *s, char **argv)
{
	struct forward *f = arg;
	struct session_watch watch = { forward_begin, forward_end, f };
	struct diag d = { 0 };
	struct launch_end end = { 0 };
	char *path = NULL, *trace = NULL;
	int status = EXIT_OWN_FAILURE;

	f->quiet = s->quiet;
	if (f->asked && !f->observer)
		return command_misuse(&cmd_record,
				      "a token or --observer-wait goes with --observer");
	if (f->observer && forward_prepare(f, argv[0]) != EXIT_FINE)
		return EXIT_OWN_FAILURE;
	if (program_find(argv[0], s->locks, &path, &d) != ST_OK ||
	    session_record(s, argv[0], path, argv, f->observer ? &watch : NULL, &trace, &end, &d) !=
		    ST_OK) {
		talk_error("%s", d.message);
	} else {
		session_summary(s, trace, &end);
		session_notes(s, trace);
		status = end.status;
	}
	mem_free(trace);
	mem_free(path);
	return status;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct forward f = { .wait = FORWARD_WAIT };

	return session_command(c, argc, argv,
			       &(struct session_command){ .option = take_option,
							  .act = record,
							  .arg = &f,
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
		"failed. ADDR is unix:/PATH, HOST:PORT or :PORT; the token may also be in the\n"
		"environment, FORESEE_TOKEN. An observer never slows the program down.\n",
	.options = record_options,
	.run = run,
};
