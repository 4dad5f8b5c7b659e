#include "analyse/repeat.h"
#include "cli/analyse_options.h"
#include "cli/command.h"
#include "cli/input.h"
#include "report/frames.h"

struct check_request {
	struct analyse a;
	struct input in;
	bool together;
};

static const struct option_def check_options[] = {
	ANALYSE_OPTIONS,
	ANALYSE_REPLAY_OPTION,
	{ OPTION_AT(struct check_request, together), 0, "together", NULL,
	  "one report of all traces: each finding once, with the first that shows it" },
	INPUT_OPTIONS,
	{ 0 },
};

static int check_together(struct analyse *a, char **paths, int n)
{
	STRBUF_SCOPED all = { 0 };
	struct repeat r;
	int status;

	repeat_begin(&r, a, "trace");
	for (int i = 0; i < n; i++)
		repeat_news(&r, paths[i], analyse_trace(a, paths[i]));
	frames_path(paths[0], &all);
	if (n > 1)
		strbuf_addf(&all, " and %d more", n - 1);
	status = repeat_report(&r, strbuf_str(&all));
	repeat_release(&r);
	return analyse_finish(a, status);
}

static int check(struct check_request *r, char **paths, int n)
{
	struct analyse *a = &r->a;
	int status = EXIT_FINE;

	if (!analyse_begin(a, paths, n))
		return EXIT_TROUBLE;
	if (r->together || (n > 1 && a->baseline))
		return check_together(a, paths, n);
	for (int i = 0; i < n; i++) {
		if (n > 1 && analyse_is_text(a))
			fprintf(a->to, "%s%s:\n", i ? "\n" : "", paths[i]);
		status = analyse_worse(status, analyse_trace(a, paths[i]));
	}
	return analyse_finish(a, status);
}

static int check_command(const struct command *c, int argc, char **argv)
{
	struct check_request r = { 0 };
	struct option_parser p = {
		.into = { [OPTION_OWN] = &r, [OPTION_ANALYSE] = &r.a, [OPTION_INPUT] = &r.in }
	};
	int status;

	analyse_init(&r.a);
	if (command_options(c, &p, argc, argv, &status)) {
		r.a.lenient = r.in.lenient;
		r.a.from_cut = r.in.from_cut;
		r.a.to_cut = r.in.to_cut;
		r.a.quiet = r.in.quiet;
		if (p.noperands == 0)
			status = command_misuse(c, "no trace given");
		else if (p.noperands > 1 && r.a.html)
			status = command_misuse(c, "-f html is a page about one trace");
		else if (p.noperands > 1 && r.a.witness_dir)
			status = command_misuse(c, "--witness-dir takes one trace");
		else
			status = check(&r, p.operands, p.noperands);
	}
	analyse_release(&r.a);
	return status;
}

const struct command cmd_check = {
	.name = "check",
	.usage = "[OPTIONS] TRACE...",
	.summary = "predict from traces what goes wrong in runs that did not happen",
	.details = "TRACE is a recording, or STD text; - reads it from standard input.\n",
	.options = check_options,
	.project = PROJECT_ALL,
	.more = analyse_list,
	.run = check_command,
};
