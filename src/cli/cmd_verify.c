#include "cli/command.h"
#include "cli/input.h"

static const struct option_def verify_options[] = { INPUT_OPTIONS, { 0 } };

static int run(const struct command *c, int argc, char **argv)
{
	struct input in = { 0 };
	struct option_parser p;
	const char *value;
	int id, status;

	option_begin(&p, c->name, c->options, argc, argv);
	while ((id = option_next(&p, &value)) != OPTION_DONE)
		if (!input_option(&in, c, id, value, &status))
			return status;
	if (p.noperands == 0)
		return command_misuse(c, "no trace given");
	if (p.noperands > 1)
		return command_misuse(
			c, "more than one file: this version checks traces, not witnesses");
	return input_selfcheck(p.operands[0], &in);
}

const struct command cmd_verify = {
	.name = "verify",
	.usage = "[OPTIONS] TRACE",
	.summary = "check that a trace agrees with itself",
	.details =
		"Holds the value of every read against the writes before it, and every lock against\n"
		"its holders. Prints 'consistent: ...' and leaves with 0, or the first contradiction\n"
		"and leaves with 1.\n",
	.options = verify_options,
	.run = run,
};
