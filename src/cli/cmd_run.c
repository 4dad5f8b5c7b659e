/*
 * run: compile if need be, record, analyse.
 *
 * The program's own output passes through untouched; what foresee found comes after it on
 * stdout.  While it runs, findings that are sure are told on stderr, in a line each (live/live.h).
 */
#include <unistd.h>

#include "analyse/analyse.h"
#include "analyse/repeat.h"
#include "cli/analyse_options.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/session_options.h"
#include "launch/made.h"
#include "launch/program.h"
#include "launch/session.h"
#include "live/live.h"

#define ANY_TIMES UINT32_MAX

/* One `run'. */
struct run_request {
	struct analyse a;
	bool no_live;
	struct live *live;    /* while the program runs */
	uint64_t times;	      /* --runs; 0: once */
	uint64_t until_quiet; /* runs without news that are enough; 0: none are */
	const char
		*level; /* of optimisation, for source; NULL: what the source says is what runs */
};

static const struct option_def run_options[] = {
	{ .id = SESSION_TRACE, 0, "trace", "FILE", SESSION_TRACE_HELP },
	SESSION_OPTIONS,
	ANALYSE_OPTIONS,
	ANALYSE_REPLAY_OPTION,
	{ ANALYSE_AT(lenient), 0, "lenient", NULL, INPUT_LENIENT_HELP },
	SESSION_HANG_OPTION,
	{ OPTION_AT(struct run_request, level), 'O', "optimize", "LEVEL",
	  "FILE.c: 0 (default: what the source says is what runs), 1, 2, 3 or s" },
	{ OPTION_AT(struct run_request, no_live), 0, "no-live", NULL,
	  "analyse when the program has ended, not before" },
	{ OPTION_AT(struct run_request, times), 'n', "runs", "N",
	  "run it N times; what all of them showed is one report",
	  OPTION_NUMBER(struct run_request, times, 1, UINT32_MAX) },
	{ OPTION_AT(struct run_request, until_quiet), 0, "until-quiet", "N",
	  "stop when N runs in a row have shown nothing new",
	  OPTION_NUMBER(struct run_request, until_quiet, 1, UINT32_MAX) },
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
static enum status record(struct run_request *r, const struct session *s, const char *name,
			  const char *path, char **argv, char **trace, struct diag *d)
{
	struct session_watch watch = { .begin = watch_begin, .end = watch_end, .arg = r };
	struct launch_end end = { 0 };
	enum status st =
		session_record(s, name, path, argv, r->no_live ? NULL : &watch, trace, &end, d);

	if (st == ST_OK)
		session_summary(s, *trace, &end);
	r->a.hurry = end.asked;
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
		option_choose(&a->chosen, 's', "spec", value);
		for (char **at = argv + 1; (at[0] = at[used]) != NULL; at++)
			;
	}
	return true;
}

static void tell_progress(const struct run_request *r, uint64_t run, size_t news)
{
	char of[32] = "", what[32] = "nothing";

	if (r->times != ANY_TIMES)
		snprintf(of, sizeof(of), " of %" PRIu64, r->times);
	if (news)
		snprintf(what, sizeof(what), "%zu", news);
	talk_note("run %" PRIu64 "%s: %s new", run, of, what);
}

/* One of many: its trace stays if there is news in it. */
static enum status run_one_of(struct run_request *r, struct session s, struct repeat *all,
			      const char *base, const char *path, char **argv, struct diag *d)
{
	STRBUF_SCOPED own = { 0 };
	uint32_t run = repeat_next(all);
	char *trace = NULL;
	size_t news;
	enum status st;

	repeat_path(base, run, &own);
	s.trace = strbuf_str(&own);
	st = record(r, &s, base, path, argv, &trace, d);
	if (st == ST_OK) {
		news = repeat_news(all, strbuf_str(&own), analyse_trace(&r->a, trace));
		if (news == 0)
			unlink(trace);
		if (!s.quiet)
			tell_progress(r, run, news);
	}
	mem_free(trace);
	return st;
}

static enum status run_many(struct run_request *r, const struct session *s, const char *name,
			    const char *path, char **argv, int *status, struct diag *d)
{
	char *base = s->trace ? mem_strdup(s->trace) : program_trace_name(name);
	struct repeat all;
	enum status st = ST_OK;

	repeat_begin(&all, &r->a, "run");
	for (uint64_t i = 0; i < r->times && st == ST_OK && !r->a.hurry; i++) {
		st = run_one_of(r, *s, &all, base, path, argv, d);
		if (r->until_quiet && all.quiet >= r->until_quiet)
			break;
	}
	if (st == ST_OK)
		*status = repeat_report(&all, base);
	repeat_release(&all);
	mem_free(base);
	return st;
}

static enum status run_once(struct run_request *r, const struct session *s, struct made *made,
			    const char *name, const char *path, char **argv, int *status,
			    struct diag *d)
{
	char *trace = NULL;
	enum status st = record(r, s, name, path, argv, &trace, d);

	/* Its symbols are the names in the report of locks; a replay runs it again. */
	if (!s->locks && !s->valgrind && !r->a.confirm)
		made_release(made);
	if (st == ST_OK)
		*status = analyse_trace(&r->a, trace);
	mem_free(trace);
	return st;
}

/* The words after `foresee run --replay': the report tells them when there is no program left to replay. */
static char **words_of(const struct run_request *r, const struct made *made, const char *source,
		       char **argv)
{
	size_t n = 0, first = r->level ? 2 : 0;
	char **words;

	if (!made->path)
		return NULL;
	while (argv[n])
		n++;
	words = mem_alloc((first + n + 1) * sizeof(*words));
	memcpy(words + first, argv, (n + 1) * sizeof(*words));
	words[first] = (char *)source;
	if (first) {
		words[0] = (char *)"--optimize";
		words[1] = (char *)r->level;
	}
	return words;
}

static int record_and_analyse(void *arg, struct session *s, char **argv)
{
	struct run_request *r = arg;
	struct analyse *a = &r->a;
	struct made made = { 0 };
	struct diag d = { 0 };
	const char *name = argv[0], *level = r->level ? r->level : "0";
	char *path = NULL, **words = NULL;
	int status = EXIT_TROUBLE;
	enum status st;

	a->quiet = s->quiet;
	s->announce = a->verbose;
	s->again = a->confirm != NULL;
	if (!take_spec_behind(a, argv) || !analyse_begin(a, argv, 1))
		return EXIT_TROUBLE;
	if (analyse_wants_full(a) && !s->locks)
		session_want_full(s);
	st = made_prepare(&made, argv, level, a->monitors.spec, &d);
	if (st == ST_OK && made.path && !s->quiet)
		talk_note("compiled %s with -O%s%s", name, level,
			  r->level ? "" : ": what the source says is what runs");
	if (st == ST_OK)
		st = program_find(argv[0], session_how(s), &path, &d);
	if (st == ST_OK)
		a->compiled = words = words_of(r, &made, name, argv);
	if (st == ST_OK)
		st = r->times > 1 ? run_many(r, s, name, path, argv, &status, &d)
				  : run_once(r, s, &made, name, path, argv, &status, &d);
	if (st != ST_OK)
		talk_error("%s", d.message);
	made_release(&made);
	MEM_FREE_ALL(path, words);
	a->compiled = NULL;
	return analyse_finish(a, status);
}

/* What does not go with several runs. */
static int run_checked(void *arg, struct session *s, char **argv)
{
	struct run_request *r = arg;

	if (r->until_quiet && r->times == 0)
		r->times = ANY_TIMES;
	if (r->times > 1 && r->a.html)
		return command_misuse(
			&cmd_run,
			"-f html is a page about one run: give it to 'foresee check' with the trace of one");
	if (r->times > 1 && r->a.witness_dir)
		return command_misuse(&cmd_run,
				      "--witness-dir is of one run: give it to 'foresee check'");
	if (r->level && !(strchr("0123s", r->level[0]) && r->level[0] && !r->level[1]))
		return command_misuse(&cmd_run, "-O takes 0, 1, 2, 3 or s, not '%s'", r->level);
	if (r->level && !program_is_source(argv[0]))
		return command_misuse(&cmd_run, "-O is for source, and '%s' is built already",
				      argv[0]);
	r->no_live |= r->times > 1;
	return record_and_analyse(arg, s, argv);
}

static int run_command(const struct command *c, int argc, char **argv)
{
	struct run_request r = { 0 };
	struct option_parser p = { .into = { [OPTION_OWN] = &r, [OPTION_ANALYSE] = &r.a } };
	int status;

	analyse_init(&r.a);
	status = session_command(c, argc, argv, &p, LAUNCH_HANG_STOP, run_checked);
	analyse_release(&r.a);
	return status;
}

const struct command cmd_run = {
	.name = "run",
	.usage = "[OPTIONS] [--] PROG|FILE.c [ARGS]",
	.summary = "record a program and predict what goes wrong in runs that did not happen",
	.details =
		"FILE.c (.cc, .cpp, .cxx) is compiled first, with foresee-cc -g -O0 -pthread, to a\n"
		"temporary directory. PROG must be built with foresee-cc, or --locks-only or\n"
		"--valgrind given.\n",
	.options = run_options,
	.project = PROJECT_ALL,
	.more = analyse_list,
	.run = run_command,
};
