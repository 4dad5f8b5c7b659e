/*
 * run: compile if need be, record, analyse.
 *
 * The program's own output passes through untouched; what foresee found comes after it on
 * stdout.  While it runs, findings that are sure are told on stderr, in a line each (live/live.h).
 */
#include "analyse/analyse.h"
#include "cli/analyse_options.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/session_options.h"
#include "launch/made.h"
#include "launch/program.h"
#include "launch/session.h"
#include "live/live.h"

/* One `run'. */
struct run_request {
	struct analyse a;
	bool no_live;
	struct live *live; /* while the program runs */
};

static const struct option_def run_options[] = {
	{ .id = SESSION_TRACE, 0, "trace", "FILE", SESSION_TRACE_HELP },
	SESSION_OPTIONS,
	ANALYSE_OPTIONS,
	ANALYSE_REPLAY_OPTION,
	{ ANALYSE_AT(lenient), 0, "lenient", NULL, INPUT_LENIENT_HELP },
	SESSION_HANG_OPTION,
	{ OPTION_AT(struct run_request, no_live), 0, "no-live", NULL,
	  "analyse when the program has ended, not before" },
	{ 0 },
};

static void watch_begin(void *arg, const char *trace)
{
	struct run_request *r = arg;

	r->live = live_start(&r->a, trace, &(struct live_options){ 0 });
}

static void watch_end(void *arg, const char *trace, const struct launch_end *end)
{
	struct run_request *r = arg;

	(void)trace;
	(void)end;
	live_end(r->live, &r->a);
	r->live = NULL;
}

/* A recording that ends well is told of on stderr; *trace is the caller's to free. */
static enum status record(struct run_request *r, const struct session *s, struct made *made,
			  char **argv, char **trace, struct diag *d)
{
	struct session_watch watch = { .begin = watch_begin, .end = watch_end, .arg = r };
	struct launch_end end = { 0 };
	const char *name = argv[0];
	char *path = NULL;
	enum status st = made_prepare(made, argv, r->a.monitors.spec, d);

	if (st == ST_OK)
		st = program_find(argv[0], s->locks, &path, d);
	if (st == ST_OK)
		st = session_record(s, name, path, argv, r->no_live ? NULL : &watch, trace, &end,
				    d);
	/* Its symbols are the names in the report of locks; a replay runs it again. */
	if (!s->locks && !r->a.confirm)
		made_release(made);
	if (st == ST_OK)
		session_summary(s, *trace, &end);
	r->a.hurry = end.asked;
	mem_free(path);
	return st;
}

/* After a source file --spec is ours, too: the program is made for this run, and has no such
 * option.  argv moves on. */
static bool take_spec_behind(struct analyse *a, char **argv)
{
	while (program_is_source(argv[0]) && argv[1]) {
		bool apart = strcmp(argv[1], "--spec") == 0 || strcmp(argv[1], "-s") == 0;
		const char *value = apart ? argv[2] : argv[1] + strlen("--spec=");
		int used = apart ? 2 : 1;

		if (!apart && strncmp(argv[1], "--spec=", strlen("--spec=")) != 0)
			break;
		if (!value) {
			talk_error("option '%s' needs a file", argv[1]);
			return false;
		}
		if (!analyse_option(a, NULL, ANALYSE_SPEC, value))
			return false;
		for (char **at = argv + 1; (at[0] = at[used]) != NULL; at++)
			;
	}
	return true;
}

static int record_and_analyse(void *arg, struct session *s, char **argv)
{
	struct run_request *r = arg;
	struct analyse *a = &r->a;
	struct made made = { 0 };
	struct diag d = { 0 };
	char *trace = NULL;
	int status = EXIT_TROUBLE;

	a->quiet = s->quiet;
	s->announce = a->verbose;
	s->again = a->confirm != NULL;
	if (!take_spec_behind(a, argv) || !analyse_begin(a, argv, 1))
		return EXIT_TROUBLE;
	if (analyse_wants_full(a) && !s->locks)
		session_want_full(s);
	if (record(r, s, &made, argv, &trace, &d) == ST_OK)
		status = analyse_trace(a, trace);
	else
		talk_error("%s", d.message);
	made_release(&made);
	mem_free(trace);
	return analyse_finish(a, status);
}

static int run_command(const struct command *c, int argc, char **argv)
{
	struct run_request r = { 0 };
	struct option_parser p = { .into = { [OPTION_OWN] = &r, [OPTION_ANALYSE] = &r.a } };
	int status;

	analyse_init(&r.a);
	status = session_command(c, argc, argv, &p, LAUNCH_HANG_STOP, record_and_analyse);
	analyse_release(&r.a);
	return status;
}

const struct command cmd_run = {
	.name = "run",
	.usage = "[OPTIONS] [--] PROG|FILE.c [ARGS]",
	.summary = "record a program and predict what goes wrong in runs that did not happen",
	.details =
		"FILE.c (.cc, .cpp, .cxx) is compiled first, with foresee-cc -g -O1 -pthread, to a\n"
		"temporary directory. PROG must be built with foresee-cc, or --locks-only given.\n",
	.options = run_options,
	.project = true,
	.more = analyse_list,
	.run = run_command,
};
