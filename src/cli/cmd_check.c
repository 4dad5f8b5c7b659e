#include "analyse/analyse.h"
#include "cli/analyse_options.h"
#include "cli/command.h"
#include "cli/input.h"

static const struct option_def check_options[] = { ANALYSE_OPTIONS, INPUT_OPTIONS, { 0 } };

static int check(struct analyse *a, char **paths, int n)
{
	int status = EXIT_FINE;

	if (!analyse_begin(a, paths, n))
		return EXIT_TROUBLE;
	for (int i = 0; i < n; i++) {
		if (n > 1 && !a->json)
			fprintf(a->to, "%s%s:\n", i ? "\n" : "", paths[i]);
		status = analyse_worse(status, analyse_trace(a, paths[i]));
	}
	return analyse_finish(a, status);
}

/* Sets *status and answers false when the command is to end here. */
static bool take_options(struct analyse *a, const struct command *c, struct option_parser *p,
			 int *status)
{
	struct input in = { 0 };
	const char *value;
	int id;

	while ((id = option_next(p, &value)) != OPTION_DONE) {
		*status = EXIT_TROUBLE;
		if (id >= ANALYSE_LIST ? !analyse_option(a, p, id, value)
				       : !input_option(&in, c, id, value, status))
			return false;
	}
	a->lenient = in.lenient;
	a->from_cut = in.from_cut;
	a->to_cut = in.to_cut;
	a->quiet = in.quiet;
	return true;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct option_parser p;
	struct analyse a;
	int status;

	analyse_init(&a);
	option_begin(&p, c->name, c->options, argc, argv);
	if (take_options(&a, c, &p, &status)) {
		if (p.noperands == 0)
			status = command_misuse(c, "no trace given");
		else if (p.noperands > 1 && a.witness_dir)
			status = command_misuse(c, "--witness-dir takes one trace");
		else
			status = check(&a, p.operands, p.noperands);
	}
	analyse_release(&a);
	return status;
}

const struct command cmd_check = {
	.name = "check",
	.usage = "[OPTIONS] TRACE...",
	.summary = "predict from traces what goes wrong in runs that did not happen",
	.details = "TRACE is a recording, or STD text; - reads it from standard input.\n",
	.options = check_options,
	.more = analyse_list,
	.run = run,
};
