#include <ctype.h>

#include "analyse/analyse.h"
#include "cli/analyse_options.h"
#include "cli/command.h"
#include "cli/input.h"
#include "explore/describe.h"
#include "explore/course.h"
#include "replay/claim.h"
#include "replay/debug.h"
#include "replay/replay.h"
#include "replay/tell.h"

enum { BOTH = 1, FIRST, STOP, GDB, STEPS };

#define SECONDS_MOST 86400u

struct command_replay {
	struct replay how;
	uint64_t patience, time;
};

/* clang-format off */
#define AT(member) OPTION_AT(struct command_replay, member)
#define SECONDS(member) OPTION_NUMBER(struct command_replay, member, 1, SECONDS_MOST)
static const struct option_def replay_options[] = {
	{ .id = BOTH, 0, "both", NULL,
	  "races: go on from there in either order, and compare; the default" },
	{ .id = FIRST, 0, "first", "N",
	  "races: go on in one order, access N (1 or 2) of the finding first" },
	{ .id = STOP, 0, "stop", NULL, "only come to the point, and end there" },
	{ .id = GDB, 0, "gdb", NULL, "a debugger at the point" },
	{ .id = STEPS, 0, "steps", NULL,
	  "a debugger before the first step of the schedule, and from step to step" },
	{ AT(time), 0, "time", "SECONDS",
	  "how long threads may run without an event, and to the end; default 10", SECONDS(time) },
	{ AT(patience), 0, "patience", "SECONDS",
	  "give up when nothing has moved for so long; default 2", SECONDS(patience) },
	{ AT(how.anyway), 0, "anyway", NULL, "though the program was built anew since the recording" },
	{ AT(how.real_time), 0, "real-time", NULL,
	  "the program sleeps as long as it wants, by the real clock; else not before the point" },
	{ AT(how.beside), 0, "beside", "CMD",
	  "run 'sh -c CMD' beside each run, a client, say; FORESEE_TARGET is the program" },
	{ AT(how.record), 0, "record", "FILE", "keep the recording of the replayed run" },
	{ .id = ANALYSE_FORMAT, 'f', "format", "FORMAT", "text (the default) or json" },
	ANALYSE_CHOICE, /* as given to 'check' */
	{ OPTION_IN(OPTION_INPUT, struct input, quiet), 'q', "quiet", NULL,
	  "say nothing but errors, and the result" },
	INPUT_COLOR_OPTION,
	{ 0 },
};
/* clang-format on */

static bool take_option(void *own, const struct option_parser *p, int id, const char *value)
{
	struct command_replay *r = own;
	uint64_t first;

	if (id == FIRST && !option_number(p, value, "", 1, 2, &first))
		return false;
	r->how.steps |= id == STEPS;
	r->how.gdb |= id == GDB || id == STEPS;
	r->how.first = id == FIRST ? (int)first - 1 : id == BOTH ? REPLAY_BOTH : SUPERVISE_STOP;
	return true;
}

/* What follows "--" is the program's. */
static char **cut_program(int *argc, char **argv)
{
	for (int i = 1; i < *argc; i++)
		if (strcmp(argv[i], "--") == 0) {
			*argc = i;
			argv[i] = NULL;
			return argv + i + 1;
		}
	return NULL;
}

static bool is_number(const char *s)
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++)
		if (!isdigit((unsigned char)s[i]))
			return false;
	return n > 0 && n < 10;
}

static int replay(struct command_replay *r, struct analyse *a, const char *what)
{
	struct replay_result result = { 0 };
	struct claim claim = { .stepped = r->how.steps };
	struct diag d = { 0 };
	int status = EXIT_TROUBLE;
	enum status st;

	st = is_number(what) ? claim_find(a, r->how.trace, strtoull(what, NULL, 10), &claim, &d)
			     : claim_read(a, r->how.trace, what, &claim, &d);
	r->how.claim = &claim;
	if (st == ST_OK) {
		status = EXIT_OWN_FAILURE;
		st = replay_try(&r->how, &result, &d);
	}
	if (st != ST_OK) {
		if (d.message[0])
			talk_error("%s", d.message);
	} else {
		(a->json ? tell_json_print : tell_print)(&r->how, &result, stdout);
		status = result.runs[0].result.process.asked ? EXIT_OWN_FAILURE
			 : replay_succeeded(&result)	     ? EXIT_FINE
							     : EXIT_FOUND;
	}
	replay_result_release(&result);
	claim_release(&claim);
	return status;
}

/* Of 'foresee explore'. */
static int replay_schedule(const char *path, char **argv, const struct replay *how)
{
	struct explore_failure f;
	struct diag d = { 0 };
	bool same = false;
	enum status st = how->gdb ? debug_find(&d) : ST_OK;

	f = (struct explore_failure){ 0 };
	if (st == ST_OK)
		st = explore_schedule(path, argv, how->record, how->gdb, &f, &same, &d);

	if (st == ST_OK)
		describe_failure(&f, stdout);
	else
		talk_error("%s", d.message);
	if (st == ST_OK && !same)
		talk_note("it did not end as '%s' says", path);
	explore_failure_release(&f);
	return st == ST_BAD_INPUT ? EXIT_TROUBLE
	       : st != ST_OK	  ? EXIT_OWN_FAILURE
	       : same		  ? EXIT_FINE
				  : EXIT_FOUND;
}

static int replay_command(const struct command *c, int argc, char **argv)
{
	struct command_replay r = { .how = { .first = REPLAY_BOTH },
				    .patience = SUPERVISE_PATIENCE,
				    .time = SUPERVISE_TIME };
	struct analyse a;
	struct input in = { 0 };
	struct option_parser p = {
		.into = { [OPTION_OWN] = &r, [OPTION_ANALYSE] = &a, [OPTION_INPUT] = &in }
	};
	char **program = cut_program(&argc, argv);
	int status;

	analyse_init(&a);
	if (command_options(c, &p, argc, argv, &status)) {
		a.quiet = true; /* its report is not what was asked for */
		r.how.trace = p.noperands > 0 ? p.operands[0] : NULL;
		r.how.argv = program;
		r.how.quiet = in.quiet;
		r.how.patience = (double)r.patience;
		r.how.time = (double)r.time;
		if (p.noperands == 0)
			status = command_misuse(c, "no trace given");
		else if (program && !program[0])
			status = command_misuse(c, "no program behind --");
		else if (a.format || a.html)
			status = command_misuse(c, "a replay is told as text or json");
		else if (p.noperands == 1 && course_is(p.operands[0]) && r.how.steps)
			status = command_misuse(c,
						"--steps goes with a finding, not with a schedule: "
						"try --gdb");
		else if (p.noperands == 1 && course_is(p.operands[0]))
			status = replay_schedule(p.operands[0], program, &r.how);
		else if (p.noperands == 1)
			status = command_misuse(c, "what shall be replayed?  Give the number of a "
						   "finding of 'foresee check', or a witness");
		else if (p.noperands > 2)
			status = command_misuse(c,
						"more than a trace and a finding given; a program "
						"comes behind --");
		else
			status = replay(&r, &a, p.operands[1]);
	}
	analyse_release(&a);
	return status;
}

const struct command cmd_replay = {
	.name = "replay",
	.usage = "[OPTIONS] TRACE ID|WITNESS [-- PROG ARGS]",
	.summary = "force the run of a finding on the program itself, and show its end",
	.details =
		"ID is the number of a finding in the report of 'foresee check TRACE', WITNESS a file\n"
		"that --witness-dir wrote. The program is started as it was recorded, or as given\n"
		"behind --, and its threads are held back until they have come to what was predicted:\n"
		"two threads right before the accesses of a race, threads that wait for one another,\n"
		"a wait that nobody ends, a violated property. Of a race the program then goes on in\n"
		"either order, and what it prints and how it ends is compared. Options that choose\n"
		"analyses, blocks and findings are those that 'check' was given: the number counts\n"
		"what they find.\n"
		"\n"
		"Leaves with 0 when it came so, with 1 when it did not: the program went another way,\n"
		"and that is said; with 125 when the program could not be run, with 2 when there is no\n"
		"such finding or the witness does not hold.\n"
		"\n"
		"A schedule of 'foresee explore' is given alone: foresee replay PROG.schedule; with\n"
		"--gdb there is a debugger where it fails.\n",
	.options = replay_options,
	.project = PROJECT_CHOICE,
	.take = take_option,
	.run = replay_command,
};
