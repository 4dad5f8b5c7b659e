#include "cli/command.h"
#include "cli/input.h"
#include "cli/talk.h"

enum { CHECK_ANALYSIS = 1 };

static const struct option_def check_options[] = {
	{ CHECK_ANALYSIS, 'a', "analysis", "LIST", "analyses to run; this version has none" },
	INPUT_OPTIONS,
	{ 0 },
};

static int run(const struct command *c, int argc, char **argv)
{
	struct input in = { 0 };
	struct option_parser p;
	const char *value;
	int id, status, worst = EXIT_FINE;

	option_begin(&p, c->name, c->options, argc, argv);
	while ((id = option_next(&p, &value)) != OPTION_DONE) {
		if (id == CHECK_ANALYSIS) {
			talk_error(
				"unknown analysis '%s': this version of foresee has no analyses yet",
				value);
			talk_more(
				"available analyses: none; without -a, check counts the trace and checks "
				"that it agrees with itself");
			return EXIT_TROUBLE;
		}
		if (!input_option(&in, c, id, value, &status))
			return status;
	}
	if (p.noperands == 0)
		return command_misuse(c, "no trace given");
	for (int i = 0; i < p.noperands; i++) {
		status = input_review(p.operands[i], &in);
		worst = status > worst ? status : worst;
	}
	return worst;
}

const struct command cmd_check = {
	.name = "check",
	.usage = "[OPTIONS] TRACE...",
	.summary = "count what traces hold and check that they agree with themselves",
	.options = check_options,
	.run = run,
};
