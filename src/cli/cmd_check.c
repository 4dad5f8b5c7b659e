#include "cli/analyse_options.h"
#include "cli/command.h"
#include "cli/input.h"

static const struct option_def check_options[] = {
	ANALYSE_OPTIONS, ANALYSE_REPLAY_OPTION, INPUT_OPTIONS, { 0 }
};

static int check(struct analyse *a, char **paths, int n)
{
	int status = EXIT_FINE;

	if (!analyse_begin(a, paths, n))
		return EXIT_TROUBLE;
	for (int i = 0; i < n; i++) {
		if (n > 1 && analyse_is_text(a))
			fprintf(a->to, "%s%s:\n", i ? "\n" : "", paths[i]);
		status = analyse_worse(status, analyse_trace(a, paths[i]));
	}
	return analyse_finish(a, status);
}

static int check_command(const struct command *c, int argc, char **argv)
{
	struct analyse a;
	struct input in = { 0 };
	struct option_parser p = { .into = { [OPTION_ANALYSE] = &a, [OPTION_INPUT] = &in } };
	int status;

	analyse_init(&a);
	if (command_options(c, &p, argc, argv, &status)) {
		a.lenient = in.lenient;
		a.from_cut = in.from_cut;
		a.to_cut = in.to_cut;
		a.quiet = in.quiet;
		if (p.noperands == 0)
			status = command_misuse(c, "no trace given");
		else if (p.noperands > 1 && a.html)
			status = command_misuse(c, "-f html is a page about one trace");
		else if (p.noperands > 1 && (a.witness_dir || a.baseline))
			status = command_misuse(c, "--%s takes one trace",
						a.witness_dir ? "witness-dir" : "baseline");
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
	.project = true,
	.more = analyse_list,
	.run = check_command,
};
