#include "cli/command.h"
#include "cli/option.h"
#include "cli/project.h"
#include "finding/suppress.h"

static const struct option_def config_options[] = { { 0 } };

static void print(const struct project *p, const struct suppress *s)
{
	printf("%s\n", p->path);
	for (size_t i = 0; i < p->at.n; i++) {
		const struct project_setting *at = &p->at.at[i];

		printf("  --%s%s%s\n", at->name, at->value ? " " : "", at->value ? at->value : "");
	}
	for (size_t i = 0; i < suppress_count(s); i++)
		printf("  suppressed: %s\n", suppress_rule(s, i).text);
}

static int show(void)
{
	struct project p = { 0 };
	struct suppress *s = NULL;
	struct diag d = { 0 };
	enum status st = project_find(&p, &d);

	if (st == ST_OK && p.path)
		st = suppress_parse(strbuf_str(&p.rules), p.rules.n, p.path, &s, &d);
	if (st != ST_OK)
		talk_error("%s", d.message);
	else if (p.path)
		print(&p, s);
	else
		puts("no file .foresee in the working directory or above it");
	suppress_free(s);
	project_release(&p);
	return st == ST_OK ? EXIT_FINE : EXIT_TROUBLE;
}

static int config_command(const struct command *c, int argc, char **argv)
{
	struct option_parser p = { 0 };
	int status;

	if (!command_options(c, &p, argc, argv, &status))
		return status;
	return p.noperands ? command_misuse(c, "config takes no argument '%s'", p.operands[0])
			   : show();
}

const struct command cmd_config = {
	.name = "config",
	.usage = "",
	.summary = "show the project's settings, from the file .foresee",
	.details =
		"The file is looked for in the working directory and above it. A line is a setting, NAME or\n"
		"NAME = VALUE, or a rule of suppression, KIND:PART:GLOB. Settings are options of run, check\n"
		"and observe, which the command line wins over: analysis, spec, suppress, baseline, format,\n"
		"strict, values, plain-moves, all-pairs, breadth, window, budget, jobs, fork-join, expect-status. Paths are\n"
		"relative to the file. FORESEE_PROJECT names another file; empty: none.\n",
	.options = config_options,
	.run = config_command,
};
