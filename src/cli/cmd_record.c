#include "cli/command.h"
#include "cli/session_options.h"
#include "launch/launch.h"
#include "launch/program.h"
#include "launch/session.h"
#include "live/forward.h"

#define AT(member) OPTION_AT(struct forward, member)
static const struct option_def record_options[] = {
	{ .id = SESSION_TRACE, 'o', "output", "TRACE", SESSION_TRACE_HELP },
	SESSION_OPTIONS,
	{ AT(observer), 0, "observer", "ADDR",
	  "send the recording, as it grows, to 'foresee observe'" },
	{ AT(token_file), 0, "token-file", "FILE", "the token that the observer wants" },
	{ AT(token_given), 0, "token", "TOKEN", "the same; others can see it in the process list" },
	{ AT(wait), 0, "observer-wait", "SECONDS",
	  "send what is left for so long after the end; default 10",
	  OPTION_NUMBER(struct forward, wait, 0, 86400) },
	{ SESSION_AT(announce), 'v', "verbose", NULL, "announce locking patterns as they appear" },
	{ 0 },
};

#define NOT_GIVEN UINT64_MAX /* of --observer-wait */

static int record(void *arg, struct session *s, char **argv)
{
	struct forward *f = arg;
	struct session_watch watch = { forward_begin, forward_end, f };
	struct diag d = { 0 };
	struct launch_end end = { 0 };
	char *path = NULL, *trace = NULL;
	int status = EXIT_OWN_FAILURE;

	f->quiet = s->quiet;
	if (!f->observer && (f->token_file || f->token_given || f->wait != NOT_GIVEN))
		return command_misuse(&cmd_record,
				      "a token or --observer-wait goes with --observer");
	if (f->wait == NOT_GIVEN)
		f->wait = FORWARD_WAIT;
	if (f->observer && forward_prepare(f, argv[0]) != EXIT_FINE)
		return EXIT_OWN_FAILURE;
	if (program_find(argv[0], session_how(s), &path, &d) != ST_OK ||
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

static int record_command(const struct command *c, int argc, char **argv)
{
	struct forward f = { .wait = NOT_GIVEN };
	struct option_parser p = { .into = { [OPTION_OWN] = &f } };

	return session_command(c, argc, argv, &p, LAUNCH_HANG_TELL, record);
}

const struct command cmd_record = {
	.name = "record",
	.usage = "[OPTIONS] [--] PROG [ARGS]",
	.summary = "run a program once and write what it did to a trace",
	.details =
		"PROG must be built with foresee-cc, or --locks-only or --valgrind given. The status\n"
		"is the program's own, 128 plus the signal when one killed it, 125 when foresee itself\n"
		"failed. ADDR is unix:/PATH, HOST:PORT or :PORT; the token may also be in the\n"
		"environment, FORESEE_TOKEN. An observer never slows the program down.\n",
	.options = record_options,
	.run = record_command,
};
