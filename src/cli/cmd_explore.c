#include "cli/command.h"
#include "analyse/analyse.h"
#include "cli/input.h"
#include "explore/describe.h"
#include "explore/explore.h"
#include "launch/made.h"
#include "launch/program.h"

enum { STRATEGY = 1, FORMAT, FIBERS, WINDOW };

struct command_explore {
	struct explore how;
	uint64_t seconds;
	const char *spec;
	bool json;
};

/* clang-format off */
#define AT(member) OPTION_AT(struct command_explore, member)
#define NUMBER(member, low, high) OPTION_NUMBER(struct command_explore, member, low, high)
static const struct option_def explore_options[] = {
	{ .id = STRATEGY, 0, "strategy", "NAME",
	  "auto (the default), guided, random, pos, pct, bounded or dpor" },
	{ AT(how.from), 0, "from", "TRACE",
	  "guided: by what was found in this recording of the program, instead of a first run" },
	{ .id = WINDOW, 0, "window", "THREADS",
	  "guided: auto (the default), all, or the threads that run, as T2,T3; T1 always does" },
	{ AT(how.runs), 0, "budget-runs", "N", "at most so many schedules; default 100000",
	  NUMBER(how.runs, 1, UINT64_MAX) },
	{ AT(seconds), 0, "time", "SECONDS", "at most so long; default 60", NUMBER(seconds, 1, 86400) },
	{ AT(how.bound), 0, "bound", "N", "bounded: at most so many preemptions; default 2",
	  NUMBER(how.bound, 1, 100) },
	{ AT(how.jobs), 0, "jobs", "N", "schedules to run at once; default one per processor",
	  NUMBER(how.jobs, 1, POOL_LANES) },
	{ .id = FIBERS, 0, "fibers", "WHEN",
	  "auto (the default): runs in one process where that is the same; or never" },
	{ AT(how.seed), 0, "seed", "N", "of random choices; default 1", NUMBER(how.seed, 0, UINT64_MAX) },
	{ AT(how.wish.expected), 0, "expect-status", "N", "what a good run ends with; default 0",
	  NUMBER(how.wish.expected, 0, 255) },
	{ AT(spec), 's', "spec", "FILE", "properties that every run shall have" },
	{ AT(how.wish.oracle), 0, "oracle", "CMD",
	  "sh -c CMD after each good run; a failure if it leaves with another status than 0" },
	{ AT(how.wish.sandbox), 0, "sandbox", NULL, "each run in an empty directory of its own" },
	{ AT(how.all), 0, "all", NULL, "go on after the first failure" },
	{ AT(how.all_accesses), 0, "all-accesses", NULL,
	  "every access is a step, not only of words that threads share" },
	{ AT(how.schedule), 0, "schedule", "FILE", "where the schedule of the first failure goes; default PROG.schedule" },
	{ .id = FORMAT, 'f', "format", "FORMAT", "text (the default) or json" },
	{ OPTION_IN(OPTION_INPUT, struct input, quiet), 'q', "quiet", NULL,
	  "say nothing but errors, and the result" },
	{ 0 },
};
/* clang-format on */

/* T2,T3 */
static bool take_window(struct explore *e, const char *value)
{
	const char *at = value;

	e->has_window = strcmp(value, "auto") != 0;
	e->window = (struct baton_set){ { 0 } };
	for (uint32_t t = 0; t < BATON_THREADS && strcmp(value, "all") == 0; t++)
		baton_add(&e->window, t);
	if (!e->has_window || !baton_is_empty(&e->window))
		return true;
	baton_add(&e->window, 0);
	for (;;) {
		char *end;
		unsigned long tid = strtoul(at + (*at == 'T'), &end, 10);

		if (tid == 0 || tid > BATON_THREADS || (*end != ',' && *end != '\0')) {
			talk_error("no such window: '%s'; auto, all, or threads from T1 to T%u, as "
				   "T2,T3",
				   value, BATON_THREADS);
			return false;
		}
		baton_add(&e->window, (uint32_t)tid - 1);
		if (*end == '\0')
			return true;
		at = end + 1;
	}
}

static bool take_option(void *own, const struct option_parser *p, int id, const char *value)
{
	static const char *const strategies[] = {
		[EXPLORE_AUTO] = "auto", [EXPLORE_GUIDED] = "guided", [EXPLORE_RANDOM] = "random",
		[EXPLORE_POS] = "pos",	 [EXPLORE_PCT] = "pct",	      [EXPLORE_BOUNDED] = "bounded",
		[EXPLORE_DPOR] = "dpor",
	};
	struct command_explore *c = own;

	(void)p;
	if (id == FORMAT) {
		c->json = strcmp(value, "json") == 0;
		if (!c->json && strcmp(value, "text") != 0)
			talk_error("no such format: '%s'; text or json", value);
		return c->json || strcmp(value, "text") == 0;
	}
	if (id == WINDOW)
		return take_window(&c->how, value);
	if (id == FIBERS) {
		c->how.no_fibers = strcmp(value, "never") == 0;
		if (!c->how.no_fibers && strcmp(value, "auto") != 0)
			talk_error("no such choice: '%s'; auto or never", value);
		return c->how.no_fibers || strcmp(value, "auto") == 0;
	}
	for (unsigned i = 0; i < sizeof(strategies) / sizeof(strategies[0]); i++)
		if (strcmp(value, strategies[i]) == 0) {
			c->how.strategy = (enum explore_strategy)i;
			return true;
		}
	talk_error("no such strategy: '%s'; auto, guided, random, pos, pct, bounded or dpor",
		   value);
	return false;
}

static int explore(struct command_explore *c, char **argv)
{
	struct explore_result result = { 0 };
	struct made made = { 0 };
	struct diag d = { 0 };
	char *path = NULL;
	int status = EXIT_TROUBLE;
	enum status st = c->spec ? property_new(c->spec, &c->how.wish.property, &d) : ST_OK;

	if (st == ST_OK)
		st = made_prepare(&made, argv, MADE_LEVEL,
				  c->how.wish.property ? property_spec(c->how.wish.property) : NULL,
				  &d);
	if (st == ST_OK)
		st = program_find(argv[0], PROGRAM_BUILT, &path, &d);
	if (st == ST_OK) {
		c->how.path = path;
		c->how.argv = argv;
		c->how.passing = made.path != NULL;
		st = explore_program(&c->how, &result, &d);
	}
	if (st == ST_OK) {
		(c->json ? describe_json : describe_print)(&result, stdout);
		status = result.failures.n ? EXIT_FOUND : result.complete ? EXIT_FINE : EXIT_LIMIT;
	} else {
		talk_error("%s", d.message);
	}
	explore_result_release(&result);
	property_free(c->how.wish.property);
	made_release(&made);
	mem_free(path);
	return status;
}

static int explore_command(const struct command *c, int argc, char **argv)
{
	struct command_explore x = { .how = { .runs = 100000, .seed = 1 }, .seconds = 60 };
	struct input in = { 0 };
	struct option_parser p = { .program = true,
				   .into = { [OPTION_OWN] = &x, [OPTION_INPUT] = &in } };
	int status;

	if (!command_options(c, &p, argc, argv, &status))
		return status;
	if (p.noperands == 0)
		return command_misuse(c, "no program given");
	if (x.how.wish.oracle && strchr(x.how.wish.oracle, '\n'))
		return command_misuse(c, "the command of --oracle must be one line");
	if ((x.how.from || x.how.has_window) && x.how.strategy != EXPLORE_AUTO &&
	    x.how.strategy != EXPLORE_GUIDED)
		return command_misuse(c, "--from and --window are for --strategy guided or auto");
	x.how.quiet = in.quiet;
	x.how.seconds = (double)x.seconds;
	if (x.how.jobs == 0) {
		x.how.jobs = analyse_processors();
		if (x.how.jobs > POOL_LANES)
			x.how.jobs = POOL_LANES;
	}
	return explore(&x, p.operands);
}

const struct command cmd_explore = {
	.name = "explore",
	.usage = "[OPTIONS] [--] PROG|FILE.c [ARGS]",
	.summary = "run a program in one schedule after the other, until one goes wrong",
	.details =
		"One thread runs at a time; at each operation that others can notice it is chosen who\n"
		"goes on. A deadlock, a signal, a use of freed memory or a status that is not 0 ends\n"
		"the search; its schedule is shown, and written to a file for 'foresee replay'. FILE.c\n"
		"(.cc, .cpp, .cxx) is compiled first. The program runs many times, and so do its\n"
		"effects on files; with --sandbox each run has a directory of its own. Properties (-s),\n"
		"and a command that looks at the output (--oracle), may say that a run was wrong.\n"
		"\n"
		"Leaves with 0 when all schedules were run and none failed, with 1 when one did, with 3\n"
		"when the budget ran out.\n",
	.options = explore_options,
	.take = take_option,
	.run = explore_command,
};
